"""Probes of content and pitch, from feature files to a row."""

import numpy as np
import pytest

from scripts.check_leakage import NUMBERS
from scripts.check_leakage import main as check_leakage
from scripts.lib.feature_store import write_features
from scripts.lib.manifest import read_table, write_manifest
from scripts.probe_content import main
from tests.unit.test_speaker_probe import make_utterances


@pytest.fixture
def utterances(tmp_path):
    table = make_utterances(speakers=4, each=12)
    table = table.assign(gender="f", subset="train", path="x.wav", duration_s=1.0, text="A")
    write_manifest(tmp_path / "manifest.tsv", table)
    return table


def probed(folder, utterances, stream, features_of) -> dict:
    half = len(utterances) // 2
    files = [folder / "000.npz", folder / "001.npz"]
    for file, rows in zip(files, (utterances[:half], utterances[half:]), strict=True):
        write_features(file, [(row.utterance, features_of(row)) for row in rows.itertuples()])
    config = {"stream": stream, "name": "mine", "dataset": "mini"}
    main(files, folder / "manifest.tsv", folder / "probe.tsv", config)
    row = read_table(folder / "probe.tsv").astype(NUMBERS).iloc[0]
    return row.to_dict()


def test_content_with_the_speaker_in_its_mean_gives_the_speaker_away(tmp_path, utterances):
    rng = np.random.default_rng(0)

    def features_of(row):
        return np.eye(4)[int(row.speaker[1:])] + rng.normal(0, 0.1, (50, 4))

    row = probed(tmp_path, utterances, "content", features_of)
    assert (row["stream"], row["name"], row["dataset"]) == ("content", "mine", "mini")
    assert (row["accuracy"], row["n"], row["chance"]) == (1.0, 24, 0.25)


def test_pitch_is_heard_where_there_is_voice(tmp_path, utterances):
    rng = np.random.default_rng(0)

    def features_of(row):
        # Speakers differ in how much they are voiced, which is not to be heard, but not in pitch.
        contour = 100 * np.exp(rng.normal(0, 0.1, 400))
        contour[: 80 * int(row.speaker[1:])] = 0
        return contour

    row = probed(tmp_path, utterances, "pitch", features_of)
    assert row["low"] <= row["chance"] <= row["high"]


def test_the_page_of_a_study_reads_what_the_jobs_before_it_write(tmp_path, utterances):
    rng = np.random.default_rng(0)
    probed(tmp_path, utterances, "content", lambda row: rng.normal(size=(50, 3)))
    (tmp_path / "curve.tsv").write_text("epoch\tvalid_unit_error\n1\t0.1\n2\t0.2\n")
    chains = [{"b1": {"content": "mine", "pitch": ""}}]
    display = {"systems": {"b1": "B1"}, "datasets": {}}
    config = {"title": "mini", "adversarial": ["deaf"], "chains": chains, "display": display}
    check_leakage([tmp_path / "probe.tsv"], [tmp_path / "curve.tsv"], tmp_path / "page.md", config)
    page = (tmp_path / "page.md").read_text()
    assert "| content mine | B1 " in page
    assert "10.0% before, 20.0% after (+100%): **fails**" in page
