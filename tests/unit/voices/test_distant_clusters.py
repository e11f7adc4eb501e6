"""Steps that aim at distant clusters: A1's regressions and A2's singular values."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.lib.voices import Steps
from scripts.lib.voices.clusters import Clusters
from scripts.lib.voices.svd import Basis, scaled_mean, turned
from scripts.lib.voices.vectors import Pool, Source, cosines
from tests.unit.voices.pools import Voices

A1 = {"step": "regress", "affinity": "cosine", "clusters": 8, "trees": 10, "components": 8}
A2 = {"step": "svd", "mode": "pool_basis", "affinity": "cosine", "clusters": 8}
A2 |= {"kept": 0.95, "energy": 0.8}
# Few directions matter, so that clusters are apart from each other.
VOICES = Voices(dim=96, decay=5)


def vectors_of(steps, sources):
    return np.stack([steps.apply(source, np.random.default_rng(0)).vector for source in sources])


def median_cosine(pool, gender="f"):
    own = pool.vectors[pool.places(gender)]
    return np.median(cosines(own, own)[np.triu_indices(len(own), 1)])


@pytest.fixture(scope="module")
def pool():
    return VOICES.pool(per_gender=100)


@pytest.fixture(scope="module")
def regressions(pool):
    return Steps([A1], pool)


def corners():
    """Four women's groups of six at the corners of a square, and two lonely women."""
    corner = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], dtype=float)
    vectors = np.repeat(10 * corner, 6, axis=0) + 0.01 * np.random.default_rng(0).normal(
        size=(24, 2)
    )
    vectors = np.concatenate([vectors, [[40.0, 40.0], [41.0, 40.0]]])
    return Pool(tuple(map(str, range(26))), np.array(["f"] * 26), vectors)


def test_the_farthest_clusters_leave_out_small_ones():
    clusters = Clusters(corners(), "f", 5, "cosine", "x")
    assert sorted(map(len, clusters.members)) == [6, 6, 6, 6]
    asked = np.array([[1.0, 0.1]])
    farthest, second = (clusters.centres[clusters.farthest(asked, n)[0]] for n in (0, 1))
    assert farthest == pytest.approx([-10, 0], abs=0.03)
    assert second == pytest.approx([0, -10], abs=0.03)


@pytest.mark.parametrize("count", [15, 30])
def test_a_pool_too_small_for_its_clusters_is_refused_with_what_to_do(count):
    with pytest.raises(ValueError, match=f"voice step svd: of {count} clusters of 26 pool .*lower"):
        Steps([A2 | {"clusters": count}], corners())


def test_a1_gives_the_same_unlike_voice_each_time(pool, regressions):
    sources = VOICES.sources()
    voices = vectors_of(regressions, sources)
    assert np.array_equal(voices, vectors_of(Steps([A1], pool), sources))
    alike = [
        float(cosines(v[None], s.vector[None])[0, 0]) for v, s in zip(voices, sources, strict=True)
    ]
    assert np.mean(alike) < median_cosine(pool)


def test_a1_maps_halves_of_a_speaker_closer_than_other_speakers(regressions):
    sources = [source for source in VOICES.sources(20) if source.gender == "f"]
    halves = [
        vectors_of(regressions, [replace(s, vector=s.utterances[n::2].mean(0)) for s in sources])
        for n in (0, 1)
    ]
    alike = cosines(*halves)
    assert (np.diag(alike) > np.median(alike, axis=1)).all()
    assert np.diag(alike).mean() > alike[~np.eye(len(sources), dtype=bool)].mean() + 0.01


@pytest.mark.parametrize("settings", [A1, A2])
def test_enrolment_and_trials_have_different_voices(pool, regressions, settings):
    steps = regressions if settings is A1 else Steps([settings], pool)
    trials, enrolment = (
        vectors_of(steps, [replace(source, variant=n) for source in VOICES.sources()])
        for n in (0, 1)
    )
    assert (np.abs(trials - enrolment).max(axis=1) > 1e-3).all()


def test_a1_learns_from_utterances():
    pool = VOICES.pool(per_gender=30)
    vectors, owners = pool.spoken("m")
    assert len(vectors) == 30 * 4
    assert (pool.genders[owners] == "m").all()


def test_a2_with_factors_of_minus_one_is_the_identity():
    rng = np.random.default_rng(0)
    directions, _ = np.linalg.qr(rng.normal(size=(6, 4)))
    basis = Basis(rng.normal(size=6), directions.T)
    inside = basis.mean + rng.normal(size=4) @ basis.directions
    assert turned(inside, basis, -np.ones(3)) == pytest.approx(inside)


def test_a2_turns_the_leading_coordinates_and_keeps_the_others(pool):
    vectors = pool.vectors[pool.places("f")]
    mean = vectors.mean(axis=0)
    _, values, rows = np.linalg.svd(vectors - mean, full_matrices=False)
    energy = np.cumsum(values**2) / np.sum(values**2)
    changed, kept = ((energy < share).sum() + 1 for share in (0.8, 0.95))
    steps = Steps([A2], pool)
    for source in VOICES.sources()[::2]:
        before = rows @ (source.vector - mean)
        after = rows @ (steps.apply(source, None).vector - mean)
        assert (np.sign(after[:changed]) == -np.sign(before[:changed])).all()
        assert after[changed:kept] == pytest.approx(before[changed:kept], rel=1e-9)
        assert after[kept:] == pytest.approx(0, abs=1e-9)


def test_a2_takes_its_sizes_from_the_distant_cluster():
    """With one direction the factor is the root mean square of the cluster over the pool's."""
    vectors = np.column_stack([np.repeat([-3.0, 1.0, 2.0], 5), np.full(15, 5.0)])
    pool = Pool(tuple(map(str, range(15))), np.array(["f"] * 15), vectors)
    spread = np.sqrt((9 + 1 + 4) / 3)
    steps = Steps([A2 | {"clusters": 3, "kept": 1.0, "energy": 1.0}], pool)
    source = Source(np.array([2.5, 5.0]), "f", np.ones((1, 2)))
    assert steps.apply(source, None).vector == pytest.approx([-2.5 * 3 / spread, 5.0])
    nearer = steps.apply(replace(source, variant=1), None).vector
    assert nearer == pytest.approx([-2.5 * 1 / spread, 5.0])


def test_the_literal_a2_leaves_the_mean_nearly_parallel():
    step = {"step": "svd", "mode": "own_utterances", "scale": 0.5, "kept": 0.95}
    steps = Steps([step], VOICES.pool(per_gender=10))
    for source in VOICES.sources():
        voice = steps.apply(source, None).vector
        assert cosines(voice[None], source.vector[None])[0, 0] > 0.95
    same = VOICES.sources()[0].utterances
    assert scaled_mean(same, 1.0, 1.0) == pytest.approx(same.mean(axis=0))
