"""Gates G0 and G1 of systems.md 8.5: every chain system on vectors, before any audio exists."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp

from scripts.lib.catalogue import Catalogue
from scripts.lib.chains import is_chain, voice_steps
from scripts.lib.configuration import checked, load_yaml
from scripts.lib.embeddings import save_embeddings
from scripts.lib.layers import rebuild, write_layers
from scripts.lib.models.adversarial_autoencoder import Training
from scripts.lib.models.training import seed_everything, use_threads
from scripts.lib.plda import fit_plda
from scripts.lib.speaker_probe import probe_speakers
from scripts.lib.voice_figures import probe_gender
from scripts.lib.voices import Steps
from scripts.lib.voices.exponential import angular_distances, probabilities
from scripts.lib.voices.vectors import cosines
from tests.unit.voices.pools import Voices

CATALOGUE = Catalogue("config", load_yaml("config/config.yaml"))
SYSTEMS = [name for name, entry in CATALOGUE["systems"].items() if is_chain(entry)]
# These draw nothing: a speaker has one voice, or one per variant.
DRAWN = ("pool", "gmm_pca", "exponential")
SMALL = Voices(dim=96, decay=8)
FAR = {"step": "pool", "affinity": "cosine", "proximity": "far", "gender": "same"}
FAR |= {"n": 200, "n_star": 100}
AUTOENCODERS = load_yaml("config/schemas/autoencoder.schema.yaml")


@cache
def small_pool():
    """As many speakers as the embedded corpus lends, with a PLDA of their utterances."""
    pool = SMALL.pool(per_gender=60, count=6)
    labels = [pool.speakers[owner] for owner in pool.owners]
    plda = fit_plda(pool.utterances, labels, lda=30, iterations=3, min_utterances=2)
    return replace(pool, plda=plda)


@cache
def large_pool():
    return Voices().pool(per_gender=600, count=2)


def pairwise(vectors):
    return cosines(vectors, vectors)[np.triu_indices(len(vectors), 1)]


def draws(steps, source, count):
    return np.stack([steps.apply(source, np.random.default_rng(n)).vector for n in range(count)])


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_chain_system_gives_a_voice_and_the_same_one_again(system, tmp_path):
    rng = np.random.default_rng(0)
    shapes = [(32, 96), (8, 32), (32, 8), (96, 32)]
    layers = [(rng.normal(size=shape), rng.normal(size=shape[0])) for shape in shapes]
    write_layers(tmp_path / "layers.npz", layers)
    entries = voice_steps(system, "synth_dev", CATALOGUE)
    for entry in entries:
        entry |= {"layers": str(tmp_path / "layers.npz")} if "autoencoder" in entry else {}
        # As many trees as the system asks for take a minute.
        entry |= {"trees": 5, "components": 5} if entry["step"] == "regress" else {}
    steps = Steps(entries, small_pool())
    drawn = any(entry["step"] in DRAWN for entry in entries)
    for source in SMALL.sources(1):
        one, again, other = (steps.apply(source, np.random.default_rng(n)) for n in (0, 0, 1))
        assert one.vector.shape == (96,)
        assert np.isfinite(one.vector).all()
        assert np.array_equal(one.vector, again.vector)
        assert np.array_equal(one.vector, other.vector) != drawn
        if entries[0].get("gender") != "any":
            assert one.gender == source.gender


def test_s_is_the_network_after_b1_to_the_bit(tmp_path):
    rng = np.random.default_rng(1)
    shapes = [(32, 96), (8, 32), (32, 8), (96, 32)]
    layers = [(rng.normal(size=shape), rng.normal(size=shape[0])) for shape in shapes]
    write_layers(tmp_path / "layers.npz", layers)
    network = {"step": "autoencoder", "autoencoder": "s1", "layers": str(tmp_path / "layers.npz")}
    first, *rest = voice_steps("s1", "synth_dev", CATALOGUE)
    assert [entry["step"] for entry in (first, *rest)] == ["pool", "autoencoder"]
    for source in SMALL.sources(2):
        b1 = Steps([first], small_pool()).apply(source, np.random.default_rng(3))
        s1c1 = Steps([network], small_pool())
        s1 = Steps([first, network], small_pool()).apply(source, np.random.default_rng(3))
        assert np.array_equal(s1.vector, s1c1.apply(replace(source, vector=b1.vector), None).vector)
        assert s1.donors == b1.donors


def test_a_pool_of_600_contracts_in_b1():
    pool = large_pool()
    own = pairwise(pool.vectors[pool.places("f")])
    assert own.mean() == pytest.approx(0.64, abs=0.03)
    assert own.std() == pytest.approx(0.07, abs=0.02)
    voices = [Steps([FAR], pool).apply(s, np.random.default_rng(0)).vector for s in _women(40)]
    assert pairwise(np.stack(voices)).min() > 0.94
    assert ks_2samp(pairwise(np.stack(voices)), own).statistic > 0.99


@pytest.mark.parametrize(("components", "mean", "ks"), [(20, 0.10, 0.5), (0.95, 0.03, 0.1)])
def test_a_pool_of_600_keeps_its_spread_in_o1(components, mean, ks):
    pool = large_pool()
    own = pairwise(pool.vectors[pool.places("f")])
    steps = Steps([{"step": "gmm_pca", "components": components, "mixtures": 3}], pool)
    voices = draws(steps, _women(1)[0], 300)
    assert abs(pairwise(voices).mean() - own.mean()) < mean
    assert ks_2samp(pairwise(voices), own).statistic < ks
    # They are voices of women: nearer to their mean than to that of men.
    centres = np.stack([pool.vectors[pool.places(gender)].mean(axis=0) for gender in "fm"])
    nearest = np.linalg.norm(voices[:, None] - centres, axis=2).argmin(axis=1)
    assert (nearest == 0).mean() > 0.95


def test_a_pool_of_50_keeps_the_privacy_bound_of_k2():
    vectors = large_pool().vectors[:50]
    chances = np.log([probabilities(vector, vectors, 20.0) for vector in vectors])
    bound = 20.0 * angular_distances(vectors, vectors)
    assert (chances[:, None] - chances[None] <= bound[:, :, None] + 1e-9).all()


def _women(count):
    return [source for source in Voices().sources(count) if source.gender == "f"]


def _said(voices, per_gender, count, seed):
    genders = ["f", "m"] * per_gender
    said = voices.utterances(voices.speakers(genders, seed), count, seed + 1)
    rows = [
        (f"s{n:03d}-{k}", f"s{n:03d}", gender)
        for n, gender in enumerate(genders)
        for k in range(count)
    ]
    table = pd.DataFrame(rows, columns=["utterance", "speaker", "gender"])
    return table, said.reshape(len(rows), -1).astype(np.float32)


def _trained(folder, voices, per_gender, count, **changes):
    """Train an autoencoder on made-up speakers and return its layers."""
    table, vectors = _said(voices, per_gender, count, seed=1)
    save_embeddings(folder / "v.npz", dict(zip(table["utterance"], vectors, strict=True)))
    entry = {"backend": "adversarial_autoencoder", "training_data": ["d"], "vectors": "v"}
    entry |= {"batch": 256, "training": {"weight_decay": 0.1, "learning_rate": 0.002}, **changes}
    entry = checked(entry, AUTOENCODERS, "x")
    use_threads(1)
    training = Training(table, entry, 0, 1, {"vectors": [str(folder / "v.npz")]})
    for epoch in range(1, -(-entry["updates"] // entry["report_updates"]) + 1):
        seed_everything(0, "epoch", epoch)
        training.run_epoch(epoch)
    return [(e["weight"].numpy(), e["bias"].numpy()) for e in training.model()["layers"]]


def _mean_cosine(one, other):
    return np.mean([cosines(a[None], b[None])[0, 0] for a, b in zip(one, other, strict=True)])


def test_without_adversaries_vectors_are_rebuilt(tmp_path):
    weights = dict.fromkeys(("speaker", "gender", "accent"), 0)
    adversary = {"strength": 0, "weights": weights}
    settings = {"latent": 64, "noise": 0, "updates": 700, "adversary": adversary}
    layers = _trained(tmp_path, SMALL, 60, 8, **settings)
    _, held_out = _said(SMALL, 10, 5, seed=40)
    assert _mean_cosine(rebuild(held_out, layers), held_out) > 0.95


@pytest.mark.slow
def test_the_network_of_s1_forgets_speakers_that_it_has_not_heard(tmp_path):
    """The adversarial gates, on 300 speakers in 512 dimensions."""
    voices = Voices()
    table, held_out = _said(voices, 20, 10, seed=50)

    def speakers(points):
        return probe_speakers(dict(zip(table["utterance"], points, strict=True)), table)["accuracy"]

    settings = {"latent": 64, "adversary": {"strength": 1}}
    rebuilt = rebuild(held_out, _trained(tmp_path, voices, 150, 20, updates=3000, **settings))
    assert _mean_cosine(rebuilt, held_out) > 0.5
    assert probe_gender(rebuilt, table) < 0.75
    assert speakers(rebuilt) <= 0.1 * speakers(held_out)


@pytest.mark.slow
def test_a1_at_full_size_leads_away_from_the_speaker():
    """600 speakers in 512 dimensions, of which few matter, so that clusters are apart."""
    voices = Voices(decay=5)
    pool = voices.pool(per_gender=300, count=4)
    step = {"step": "regress", "affinity": "cosine", "clusters": 20, "trees": 50, "components": 50}
    steps = Steps([step], pool)
    sources = voices.sources(10)
    found = [
        cosines(steps.apply(s, None).vector[None], s.vector[None])[0, 0]
        for s in sources
        if s.gender == "f"
    ]
    own = pool.vectors[pool.places("f")]
    assert np.mean(found) < np.median(pairwise(own))
