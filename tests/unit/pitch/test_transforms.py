import numpy as np
import pytest

from scripts.lib.pitch.transforms import TRANSFORMS, pitch_statistics, transform

RNG = np.random.default_rng(3)
CONTOUR = np.where(RNG.random(200) < 0.6, RNG.uniform(80, 160, 200), 0.0).astype(np.float32)
SOURCE = pitch_statistics([CONTOUR], "s")
DONORS = [pitch_statistics([CONTOUR * factor], "d") for factor in (1.7, 2.1)]
AFTER = [{}, {"revert": {"share": 0.7, "frames": 9}}, {"quantise": 2.0}, {"noise": 6.0}]


def changed(settings, **others):
    known = {"source": SOURCE, "donors": DONORS, "rng": np.random.default_rng(0), **others}
    return transform(CONTOUR, settings, **known)


@pytest.mark.parametrize("after", AFTER, ids=str)
@pytest.mark.parametrize("name", sorted(set(TRANSFORMS) - {"drop"}))
def test_what_is_voiced_stays_voiced_and_nothing_else_becomes_so(name, after):
    contour = changed({"transform": name, **after})
    assert contour.dtype == np.float32
    assert np.array_equal(contour > 0, CONTOUR > 0)


def test_keep_changes_nothing():
    assert np.array_equal(changed({"transform": "keep"}), CONTOUR)


def test_drop_leaves_no_pitch():
    assert not changed({"transform": "drop"}).any()


def test_log_linear_with_the_same_statistics_is_the_identity():
    contour = changed({"transform": "log_linear"}, donors=[SOURCE])
    assert np.allclose(contour, CONTOUR, rtol=1e-6)


def test_log_linear_gives_the_mean_of_the_donors_statistics():
    found = pitch_statistics([changed({"transform": "log_linear"})], "s")
    assert found.mean == pytest.approx(np.mean([donor.mean for donor in DONORS]), abs=1e-6)
    assert found.variance == pytest.approx(np.mean([d.variance for d in DONORS]), rel=1e-5)


def test_percentile_keeps_ranks_and_takes_the_donors_range():
    contour = changed({"transform": "percentile"}, donors=DONORS[:1])
    before, after = CONTOUR[CONTOUR > 0], contour[contour > 0]
    assert np.array_equal(np.argsort(before), np.argsort(after))
    # A donor with the same contour, only higher: every frame finds itself there.
    assert np.allclose(after, 1.7 * before, rtol=1e-6)


def test_noise_is_that_of_its_generator():
    noisy = {"transform": "keep", "noise": 1.0}
    assert np.array_equal(changed(noisy), changed(noisy))
    other = changed(noisy, rng=np.random.default_rng(1))
    assert not np.array_equal(changed(noisy), other)


def test_a_voice_without_donors_cannot_give_its_pitch():
    with pytest.raises(ValueError, match="no donors"):
        changed({"transform": "percentile"}, donors=[])


def test_a_speaker_who_only_whispers_has_no_statistics():
    with pytest.raises(ValueError, match="speaker s1: no frame is voiced"):
        pitch_statistics([np.zeros(5)], "s1")
