"""The steps embed_utterances, score_trials and compute_privacy on tones."""

import numpy as np
import pandas as pd
import pytest

from scripts import compute_privacy, embed_utterances, score_trials
from scripts.lib.embeddings import load_embeddings, save_embeddings
from scripts.lib.manifest import read_manifests, read_table, write_manifest, write_table
from scripts.lib.metrics import NUMERIC_METRICS
from scripts.lib.models.ecapa import Training
from scripts.lib.models.training import save_state
from tests.factories import make_audio_manifest, make_trials
from tests.unit.models.test_ecapa import TINY


def test_every_utterance_gets_one_embedding(tmp_path):
    manifest = make_audio_manifest(tmp_path)
    model, output = tmp_path / "model.pt", tmp_path / "embeddings.npz"
    save_state(model, Training(read_manifests([manifest]), TINY, 0, 1).model())
    embed_utterances.main([str(model)], [str(manifest)], str(output), "ecapa", threads=1)
    vectors = load_embeddings([output])
    assert len(vectors) == 8
    assert {vector.shape for vector in vectors.values()} == {(12,)}


def make_attack(folder):
    """Two enrolled speakers and an impostor, with embeddings on the unit circle."""
    rows = [
        ("a-e1", "a", "enrol", 0),
        ("a-e2", "a", "enrol", 90),
        ("b-e1", "b", "enrol", 180),
        ("a-t1", "a", "trials_f", 45),
        ("b-t1", "b", "trials_f", 180),
        ("c-t1", "c", "trials_f", 90),
    ]
    table = pd.DataFrame(rows, columns=["utterance", "speaker", "subset", "angle"])
    table = table.assign(gender="f", path="x.wav", duration_s=1.0, text="")
    write_manifest(folder / "manifest.tsv", table)
    angles = np.deg2rad(table["angle"])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    save_embeddings(folder / "e.npz", dict(zip(table["utterance"], vectors, strict=True)))
    trials = make_trials(table[table["subset"] == "trials_f"], ["a", "b"])
    write_table(folder / "trials.tsv", trials)


def test_scores_are_cosines_with_the_mean_enrolment(tmp_path):
    make_attack(tmp_path)
    score_trials.main(
        enrol=[str(tmp_path / "e.npz")],
        test=[str(tmp_path / "e.npz")],
        manifest=str(tmp_path / "manifest.tsv"),
        trials=str(tmp_path / "trials.tsv"),
        scores=str(tmp_path / "scores.tsv"),
        scoring_files=[],
        config={"method": "cosine", "unit_enrolment": False},
    )
    scored = read_table(tmp_path / "scores.tsv").set_index(["enrol", "test"])["score"]
    half = np.sqrt(0.5)
    expected = {
        ("a", "a-t1"): 1.0,
        ("a", "b-t1"): -half,
        ("a", "c-t1"): half,
        ("b", "a-t1"): -half,
        ("b", "b-t1"): 1.0,
        ("b", "c-t1"): 0.0,
    }
    for pair, value in expected.items():
        assert scored[pair] == pytest.approx(value, abs=1e-6)


def test_scores_do_not_depend_on_the_parts_of_the_embeddings(tmp_path):
    rng = np.random.default_rng(0)
    make_attack(tmp_path)
    names = list(load_embeddings([tmp_path / "e.npz"]))
    vectors = {name: rng.normal(size=200).astype(np.float32) for name in names}
    written = []
    for parts in (1, 2, 4):
        paths = [tmp_path / f"{parts}_{part}.npz" for part in range(parts)]
        for part, path in enumerate(paths):
            save_embeddings(path, {name: vectors[name] for name in names[part::parts]})
        score_trials.main(
            enrol=[str(path) for path in paths],
            test=[str(path) for path in paths[::-1]],
            manifest=str(tmp_path / "manifest.tsv"),
            trials=str(tmp_path / "trials.tsv"),
            scores=str(tmp_path / "scores.tsv"),
            scoring_files=[],
            config={"method": "cosine", "unit_enrolment": False},
        )
        written.append((tmp_path / "scores.tsv").read_bytes())
    assert written[0] == written[1] == written[2]


def make_scores(seed=0):
    rng = np.random.default_rng(seed)
    speakers = [f"s{number}" for number in range(8)]
    rows = [
        (enrol, f"{speaker}-{number}", int(enrol == speaker), rng.normal(2.0 * (enrol == speaker)))
        for enrol in speakers
        for speaker in speakers
        for number in range(5)
    ]
    return pd.DataFrame(rows, columns=["enrol", "test", "target", "score"])


def test_privacy_rows_carry_value_interval_and_definition(tmp_path):
    table = make_scores()
    write_table(tmp_path / "f.tsv", table)
    names = table["test"].unique()
    manifest = pd.DataFrame({"utterance": names, "speaker": [name.split("-")[0] for name in names]})
    manifest = manifest.assign(gender="f", subset="trials_f", path="x", duration_s=1.0, text="")
    write_manifest(tmp_path / "manifest.tsv", manifest)
    compute_privacy.main(
        scores=[str(tmp_path / "f.tsv")],
        manifest=[str(tmp_path / "manifest.tsv")],
        metrics=str(tmp_path / "metrics.tsv"),
        ids={"system": "b2"},
    )
    rows = read_table(tmp_path / "metrics.tsv")
    assert rows["metric"].tolist() == list(NUMERIC_METRICS)
    assert (rows["definition"] != "").all()
    eer = rows.set_index("metric").loc["eer"]
    assert float(eer["low"]) <= float(eer["value"]) <= float(eer["high"])
    assert float(eer["value"]) * 40 == pytest.approx(round(float(eer["value"]) * 40))
    assert (eer["system"], eer["gender"]) == ("b2", "f")
    assert (eer["targets"], eer["nontargets"]) == ("40", "280")
