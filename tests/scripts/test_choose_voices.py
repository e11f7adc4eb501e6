"""The step choose_voices on a handful of speakers whose vectors name them."""

import numpy as np
import pandas as pd
import pytest

from scripts import choose_voices
from scripts.lib.embeddings import save_embeddings
from scripts.lib.layers import rebuild, write_layers
from scripts.lib.manifest import write_manifest
from scripts.lib.voice_table import read_voices

POOL = {"step": "pool", "affinity": "cosine", "proximity": "random", "gender": "same"}
POOL |= {"n": 6, "n_star": 3}


def table(rows):
    columns = ["utterance", "speaker", "gender", "subset"]
    return pd.DataFrame(rows, columns=columns).assign(path="u.wav", duration_s=1.0, text="")


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        (f"{speaker}-{subset}{number}", speaker, speaker[0], subset)
        for speaker in ("f1", "f2", "m1")
        for subset in ("enrol", f"trials_{speaker[0]}")
        for number in range(2)
    ]
    pool = [(f"{g}p{n}-u", f"{g}p{n}", g, "train") for g in "fm" for n in range(6)]
    for name, listed in (("data", rows), ("pool", pool)):
        write_manifest(tmp_path / f"{name}.tsv", table(listed))
        vectors = {row[0]: rng.normal(size=4) for row in listed}
        save_embeddings(tmp_path / f"{name}.npz", vectors)
    return {
        "manifest": str(tmp_path / "data.tsv"),
        "embeddings": [str(tmp_path / "data.npz")],
        "pool_manifest": str(tmp_path / "pool.tsv"),
        "pool_embeddings": [str(tmp_path / "pool.npz")],
        "plda": [],
        "networks": [],
    }


def choose(files, tmp_path, *steps, **system):
    entry = {"name": "b1", "level": "speaker", "training_level": "utterance"}
    entry |= {"seeding": "hashed", "seed": 0, **system}
    dataset = {"name": "d", "subsets": ["enrol", "trials_f", "trials_m"]}
    config = {"system": entry, "steps": list(steps), "dataset": dataset}
    choose_voices.main(files, str(tmp_path / "voices.npz"), config)
    return read_voices(tmp_path / "voices.npz")


def test_a_speaker_has_one_voice_in_enrolment_and_another_in_trials(files, tmp_path):
    voices = choose(files, tmp_path, POOL)
    assert voices["f1-enrol0"].donors == voices["f1-enrol1"].donors
    assert voices["f1-enrol0"].donors != voices["f1-trials_f0"].donors
    assert all(donor.startswith("m") for donor in voices["m1-enrol0"].donors)
    assert len({tuple(vector) for vector in voices.pseudo}) == 6


def test_the_source_is_the_mean_inside_the_subset(files, tmp_path):
    voices = choose(files, tmp_path, {"step": "identity"})
    vectors = choose_voices.load_embeddings(files["embeddings"])
    mean = (vectors["f1-enrol0"] + vectors["f1-enrol1"]) / 2
    assert voices["f1-enrol0"].orig == pytest.approx(mean, rel=1e-6)
    assert np.array_equal(voices["f1-enrol0"].orig, voices["f1-enrol0"].anon)
    voices = choose(files, tmp_path, {"step": "identity"}, level="utterance")
    assert voices["f1-enrol0"].orig == pytest.approx(vectors["f1-enrol0"], rel=1e-6)


def test_a_speaker_shares_one_draw_between_subsets_where_told(files, tmp_path):
    step = {"step": "exponential", "epsilon": 20, "gender": "any"}
    voices = choose(files, tmp_path, step, level="global_speaker")
    for speaker in ("f1", "f2"):
        donors = {voices[f"{speaker}-{s}"].donors for s in ("enrol0", "enrol1", "trials_f1")}
        assert len(donors) == 1
    assert len({tuple(vector) for vector in voices.source}) == 3


def test_other_seeds_and_systems_draw_otherwise(files, tmp_path):
    one = choose(files, tmp_path, POOL).pseudo
    assert np.array_equal(one, choose(files, tmp_path, POOL).pseudo)
    assert not np.array_equal(one, choose(files, tmp_path, POOL, seed=1).pseudo)
    assert not np.array_equal(one, choose(files, tmp_path, POOL, name="m1").pseudo)


def test_steps_that_draw_nothing_still_give_enrolment_another_voice(files, tmp_path):
    settings = {"affinity": "cosine", "clusters": 2}
    pool = [(f"{g}p{n}-{u}", f"{g}p{n}", g, "train") for g in "fm" for n in range(12) for u in "ab"]
    write_manifest(files["pool_manifest"], table(pool))
    rng = np.random.default_rng(1)
    # Two groups of six in each gender.
    centre = {0: np.array([4.0, 0, 0, 0]), 1: np.array([0, 4.0, 0, 0])}
    vectors = {row[0]: centre[int(row[1][2:]) % 2] + rng.normal(size=4) / 9 for row in pool}
    save_embeddings(files["pool_embeddings"][0], vectors)
    regress = {"step": "regress", "trees": 3, "components": 2, **settings}
    svd = {"step": "svd", "mode": "pool_basis", "kept": 0.95, "energy": 0.8, **settings}
    for step in (regress, svd):
        voices = choose(files, tmp_path, step)
        assert np.array_equal(voices["f1-enrol0"].anon, voices["f1-enrol1"].anon)
        assert not np.array_equal(voices["f1-enrol0"].anon, voices["f1-trials_f0"].anon)
        again = choose(files, tmp_path, step, seed=5)
        assert np.array_equal(voices.pseudo, again.pseudo)
    # Of one utterance the literal form scales its only singular value.
    literal = {"step": "svd", "mode": "own_utterances", "scale": 0.5, "kept": 0.9}
    voices = choose(files, tmp_path, literal, level="utterance")
    assert voices.pseudo == pytest.approx(0.5 * voices.source, rel=1e-5)


def test_training_utterances_meet_both_variants():
    found = {choose_voices.variant_of("utterance", "train", f"u{n}") for n in range(20)}
    assert found == {0, 1}
    assert choose_voices.variant_of("global_speaker", "enrol", "s1") == 0


def test_a_network_comes_after_what_stands_before_it(files, tmp_path):
    rng = np.random.default_rng(3)
    layers = [(rng.normal(size=(4, 4)), rng.normal(size=4)) for _ in range(4)]
    write_layers(tmp_path / "s1.npz", layers)
    files["networks"] = [str(tmp_path / "s1.npz")]
    network = {"step": "autoencoder", "autoencoder": "s1"}
    alone = choose(files, tmp_path, network)
    assert alone.pseudo == pytest.approx(rebuild(alone.source, layers), rel=1e-5)
    # The same draw, then the network; donors stay those of the draw.
    drawn, both = choose(files, tmp_path, POOL), choose(files, tmp_path, POOL, network)
    assert both.donors == drawn.donors
    assert both.pseudo == pytest.approx(rebuild(drawn.pseudo, layers), rel=1e-5)
