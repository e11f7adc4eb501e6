"""The step choose_voices on a handful of speakers whose vectors name them."""

import numpy as np
import pandas as pd
import pytest

from scripts import choose_voices
from scripts.lib.embeddings import save_embeddings
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
