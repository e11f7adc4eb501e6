import numpy as np
import pytest

from scripts.lib.metrics import de_id, g_vd, similarity_intervals


def matrices(size: int, seed: int = 0) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    found = []
    for contrast in (0.5, 0.2, 0.3):
        noise = rng.uniform(0, 0.2, (size, size))
        found.append(0.2 + contrast * np.eye(size) + (noise + noise.T) / 2)
    return tuple(found)


def test_estimates_are_the_plain_metrics_and_lie_inside():
    oo, oa, aa = matrices(12)
    found = similarity_intervals(oo, oa, aa, seed=1, replicates=200)
    assert found["g_vd"].estimate == g_vd(aa, oo)
    assert found["de_id"].estimate == de_id(oa, oo)
    for interval in found.values():
        assert interval.low < interval.estimate < interval.high


def test_more_speakers_give_narrower_intervals():
    few, many = (
        similarity_intervals(*matrices(size), seed=1, replicates=200)["g_vd"] for size in (6, 40)
    )
    assert many.high - many.low < (few.high - few.low) / 2


def test_a_seed_gives_the_same_interval():
    first, second = (similarity_intervals(*matrices(8), seed=3, replicates=50) for _ in range(2))
    assert first == second


def test_one_speaker_s_copies_do_not_count_as_pairs():
    # With two speakers every usable draw holds both, so that nothing varies.
    oo, oa, aa = matrices(2)
    found = similarity_intervals(oo, oa, aa, seed=0, replicates=20)["g_vd"]
    assert found.low == pytest.approx(found.high) == pytest.approx(found.estimate)
