"""Steps on vectors, checked on pools whose right answers are known."""

import numpy as np
import pytest
from scipy.stats import chisquare, ks_2samp

from scripts.lib.plda import fit_plda
from scripts.lib.seeding import rng_for
from scripts.lib.voices import Steps
from scripts.lib.voices import pool as pool_step
from scripts.lib.voices.exponential import angular_distances, probabilities
from scripts.lib.voices.vectors import Pool, Source, cosines

FAR = {"step": "pool", "affinity": "cosine", "proximity": "far", "gender": "same"}
FAR |= {"n": 0.333, "n_star": 0.167}


def make_pool(per_gender=300, dim=64, seed=0, common=1.2):
    """Speakers around a common direction; genders around directions of their own."""
    rng = np.random.default_rng(seed)
    genders = np.array(["f", "m"] * per_gender)
    centres = {"f": rng.normal(size=dim), "m": rng.normal(size=dim)}
    vectors = rng.normal(size=(2 * per_gender, dim))
    vectors += common * np.stack([centres[gender] for gender in genders])
    return Pool(tuple(f"p{n}" for n in range(2 * per_gender)), genders, vectors)


def source(pool, gender="f", seed=9):
    places = pool.places(gender)
    vector = pool.vectors[places[0]] + 0.1 * np.random.default_rng(seed).normal(size=64)
    return Source(vector, gender, vector[None])


def draws(settings, pool, count, gender="f"):
    steps, one = Steps(settings, pool), source(pool, gender)
    return [steps.apply(one, np.random.default_rng(seed)) for seed in range(count)]


def pairwise(vectors):
    return cosines(vectors, vectors)[np.triu_indices(len(vectors), 1)]


def test_donors_are_among_the_least_alike_of_the_right_gender():
    pool = make_pool()
    for gender in "fm":
        one = source(pool, gender)
        places = pool.places(gender)
        order = places[np.argsort(cosines(pool.vectors[places], one.vector[None])[:, 0])]
        lowest = {pool.speakers[place] for place in order[:100]}
        voice = draws([FAR], pool, 1, gender)[0]
        assert len(voice.donors) == 50
        assert set(voice.donors) <= lowest
        chosen = [pool.speakers.index(name) for name in voice.donors]
        assert voice.vector == pytest.approx(pool.vectors[chosen].mean(axis=0))


def test_other_proximities_and_genders_choose_others():
    pool = make_pool()
    far, near = (set(draws([FAR | {"proximity": p}], pool, 1)[0].donors) for p in ("far", "near"))
    assert not far & near
    other = draws([FAR | {"gender": "other"}], pool, 1)[0]
    assert other.gender == "m"
    assert all(pool.genders[pool.speakers.index(name)] == "m" for name in other.donors)
    both = {voice.gender for voice in draws([FAR | {"gender": "random"}], pool, 20)}
    assert both == {"f", "m"}


def test_seeds_decide_and_many_draws_average_to_the_candidates():
    pool = make_pool(per_gender=30)
    steps = Steps([FAR], pool)
    one, two, again = (steps.apply(source(pool), np.random.default_rng(n)) for n in (1, 2, 1))
    assert np.array_equal(one.vector, again.vector)
    assert not np.array_equal(one.vector, two.vector)
    mean = np.mean([voice.vector for voice in draws([FAR], pool, 2000)], axis=0)
    candidates = draws([FAR | {"n": 10, "n_star": 10}], pool, 1)[0].vector
    assert np.abs(mean - candidates).max() < 0.05


def test_plda_affinity_is_symmetric_and_higher_within_speakers():
    rng = np.random.default_rng(0)
    means = rng.normal(size=(30, 8))
    vectors = np.repeat(means, 10, axis=0) + 0.1 * rng.normal(size=(300, 8))
    labels = np.repeat(np.arange(30), 10).tolist()
    plda = fit_plda(vectors, labels, lda=6, iterations=5, min_utterances=2)
    pool = Pool(tuple(map(str, range(30))), np.array(["f"] * 30), vectors[::10], plda)
    scores = np.stack([pool.affinities(vector, "plda") for vector in vectors[::10]])
    assert scores == pytest.approx(scores.T)
    others = np.stack([pool.affinities(vector, "plda") for vector in vectors[1::10]])
    assert (others.argmax(axis=1) == np.arange(30)).all()
    with pytest.raises(ValueError, match="needs the PLDA"):
        make_pool().affinities(np.ones(64), "plda")


def test_dense_and_sparse_average_half_of_a_large_or_small_cluster(monkeypatch):
    rng = np.random.default_rng(0)
    # Women's clusters of 20, 12 and 4 and a men's one of 8, far apart.
    sizes = {"a": 20, "b": 12, "c": 4, "d": 8}
    centres = 20 * np.eye(8)[:4]
    vectors = np.concatenate(
        [
            centre + rng.normal(0, 0.3, size=(size, 8))
            for centre, size in zip(centres, sizes.values(), strict=True)
        ]
    )
    names = tuple(f"{name}{n}" for name, size in sizes.items() for n in range(size))
    genders = np.array(["m" if name[0] == "d" else "f" for name in names])
    pool = Pool(names, genders, vectors)
    step = FAR | {"proximity": "dense"}

    def drawn(step, near, count=20):
        steps = Steps([step], pool)
        one = Source(near, "f", near[None])
        voices = [steps.apply(one, np.random.default_rng(seed)) for seed in range(count)]
        for voice in voices:
            chosen = [names.index(name) for name in voice.donors]
            assert voice.vector == pytest.approx(vectors[chosen].mean(axis=0))
        return {(voice.donors[0][0], len(voice.donors)) for voice in voices}

    # The speaker's own cluster is left out; both others are among the ten largest and smallest.
    assert drawn(step, centres[0]) == {("b", 6), ("c", 2)}
    assert drawn(step, centres[3]) == {("a", 10), ("b", 6), ("c", 2)}
    assert drawn(step | {"gender": "other"}, centres[0]) == {("d", 4)}
    monkeypatch.setattr(pool_step, "DRAWN_AMONG", 1)
    assert drawn(step, centres[3]) == {("a", 10)}
    assert drawn(step | {"proximity": "sparse"}, centres[3]) == {("c", 2)}
    with pytest.raises(ValueError, match="only cluster of gender m"):
        drawn(step | {"gender": "other"}, centres[3])


def test_rescaled_voices_fill_the_range_of_the_pool():
    pool = make_pool(per_gender=60)
    own = pool.vectors[pool.places("f")]
    plain = draws([{"step": "identity"}, {"step": "rescale"}], pool, 1)[0].vector
    assert plain == pytest.approx(source(pool).vector)
    steps = Steps([FAR, {"step": "rescale"}], pool)
    sources = [Source(vector, "f", vector[None]) for vector in own]
    voices = np.stack(
        [
            steps.apply(one, rng_for(0, "rescale", pool.speakers[place])).vector
            for one, place in zip(sources, pool.places("f"), strict=True)
        ]
    )
    assert voices.min(axis=0) == pytest.approx(own.min(axis=0))
    assert voices.max(axis=0) == pytest.approx(own.max(axis=0))
    assert (
        pairwise(voices).mean()
        < pairwise(np.stack([v.vector for v in draws([FAR], pool, 60)])).mean()
    )


def test_too_few_candidates_are_refused():
    with pytest.raises(ValueError, match="100 of 200 candidates are wanted, but the pool has 30"):
        draws([FAR | {"n": 200, "n_star": 100}], make_pool(per_gender=30), 1)


def test_b1_contracts_and_o1_keeps_the_spread_of_the_pool():
    pool = make_pool(common=1.33)
    own = pairwise(pool.vectors[pool.places("f")])
    assert own.mean() == pytest.approx(0.64, abs=0.05)
    wide = {"step": "gmm_pca", "components": 0.97, "mixtures": 3}
    sampled = pairwise(np.stack([v.vector for v in draws([wide], pool, 300)]))
    assert abs(sampled.mean() - own.mean()) < 0.03
    assert ks_2samp(sampled, own).statistic < 0.1
    pooled = pairwise(np.stack([voice.vector for voice in draws([FAR], pool, 30)]))
    assert pooled.mean() > 0.94
    assert ks_2samp(pooled, own).statistic > 0.95


def test_o1c1_accepts_only_what_is_unlike_and_without_limit_is_o1():
    pool = make_pool(per_gender=60)
    o1 = {"step": "gmm_pca", "components": 20, "mixtures": 3}
    plain = draws([o1], pool, 20)
    loose = draws([o1 | {"tau": 1.01, "tries": 1000}], pool, 20)
    assert all(np.array_equal(a.vector, b.vector) for a, b in zip(plain, loose, strict=True))
    median = np.median(pairwise(pool.vectors[pool.places("f")]))
    strict = draws([o1 | {"tau": "pool_median", "tries": 1000}], pool, 20)
    target = source(pool).vector[None]
    assert all(cosines(voice.vector[None], target)[0, 0] < median for voice in strict)
    few = [o1 | {"components": 60}]
    with pytest.raises(ValueError, match="60 components of 60 pool speakers of gender f"):
        Steps(few, pool)


def test_k2_satisfies_its_privacy_bound_for_every_triple():
    vectors = make_pool(per_gender=25).vectors
    for epsilon in (10.0, 20.0, 60.0):
        chances = np.stack([probabilities(vector, vectors, epsilon) for vector in vectors])
        ratios = np.log(chances[:, None] / chances[None])
        bound = epsilon * angular_distances(vectors, vectors)[:, :, None]
        assert (ratios <= bound + 1e-6).all()
        # Without the half the bound would be broken.
        broken = np.stack([probabilities(vector, vectors, 2 * epsilon) for vector in vectors])
        assert (np.log(broken[:, None] / broken[None]) > bound).any()


def test_k2_draws_as_often_as_its_weights_say():
    pool = make_pool(per_gender=5)
    step = {"step": "exponential", "epsilon": 20, "gender": "any"}
    found = [voice.donors[0] for voice in draws([step], pool, 2000)]
    chances = probabilities(source(pool).vector, pool.vectors, 20)
    counts = [found.count(name) for name in pool.speakers]
    assert chisquare(counts, 2000 * chances).pvalue > 0.01


def test_the_identity_gives_the_speaker_and_keeps_donors():
    pool = make_pool(per_gender=30)
    assert draws([{"step": "identity"}], pool, 1)[0].vector is not None
    both = draws([FAR, {"step": "identity"}], pool, 1)[0]
    alone = draws([FAR], pool, 1)[0]
    assert both.donors == alone.donors
    assert np.array_equal(both.vector, alone.vector)
