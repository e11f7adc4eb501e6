"""The step fit_plda, and trials scored with what it wrote."""

import numpy as np
import pandas as pd

from scripts import compute_similarity, fit_plda, score_trials
from scripts.lib.embeddings import save_embeddings
from scripts.lib.manifest import read_table, write_manifest, write_table
from scripts.lib.metrics import cllr, cllr_min, eer
from tests.factories import make_trials

SCORING = {"method": "plda", "lda": 4, "iterations": 10, "min_utterances": 2}


def make_part(folder, name, rng, speakers, subsets):
    """Speakers around the origin with utterances around each; a manifest and an archive."""
    rows, vectors = [], {}
    for number in range(speakers):
        place = 3.0 * rng.normal(size=6)
        for subset, count in subsets.items():
            for utterance in range(count):
                key = f"{name}{number:02d}-{subset}{utterance}"
                rows.append((key, f"{name}{number:02d}", subset))
                vectors[key] = (10.0 + place + rng.normal(size=6)).astype(np.float32)
    table = pd.DataFrame(rows, columns=["utterance", "speaker", "subset"])
    table = table.assign(gender="f", path="x.wav", duration_s=1.0, text="")
    write_manifest(folder / f"{name}.tsv", table)
    save_embeddings(folder / f"{name}.npz", vectors)
    return table


def test_trials_of_unseen_speakers_get_calibrated_ratios(tmp_path):
    rng = np.random.default_rng(0)
    make_part(tmp_path, "a", rng, 40, {"train": 6})
    make_part(tmp_path, "b", rng, 10, {"train": 1})
    table = make_part(tmp_path, "t", rng, 12, {"enrol": 3, "trials_f": 5})
    fit_plda.main(
        embeddings=[str(tmp_path / "a.npz"), str(tmp_path / "b.npz")],
        manifests=[str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv")],
        plda=str(tmp_path / "plda.npz"),
        config=SCORING,
    )
    trials = make_trials(table[table["subset"] == "trials_f"], sorted(set(table["speaker"])))
    write_table(tmp_path / "trials.tsv", trials)
    common = {
        "manifest": str(tmp_path / "t.tsv"),
        "scoring_files": [str(tmp_path / "plda.npz")],
        "config": SCORING,
    }
    score_trials.main(
        enrol=[str(tmp_path / "t.npz")],
        test=[str(tmp_path / "t.npz")],
        trials=str(tmp_path / "trials.tsv"),
        scores=str(tmp_path / "scores.tsv"),
        **common,
    )
    scored = read_table(tmp_path / "scores.tsv")
    same, other = (scored["score"][scored["target"] == label].to_numpy() for label in (1, 0))
    assert eer(same, other) < 0.1
    assert cllr_min(same, other) <= cllr(same, other) < 0.5
    compute_similarity.main(
        original=[str(tmp_path / "t.npz")],
        anonymized=[str(tmp_path / "t.npz")],
        matrices=str(tmp_path / "f.npz"),
        gender="f",
        **common,
    )
    with np.load(tmp_path / "f.npz") as archive:
        assert (archive["oo"] == archive["aa"]).all()
        assert np.diag(archive["oo"]).min() > 0.5
