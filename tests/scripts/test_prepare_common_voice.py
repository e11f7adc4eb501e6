"""A release of Common Voice becomes two sets of Kaldi directories."""

import logging

import numpy as np
import pandas as pd
import pytest
import soundfile

from scripts import prepare_common_voice, prepare_manifest
from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.common_voice import count_sets, deal_clips, read_release
from scripts.lib.configuration import checked, load_yaml
from scripts.lib.manifest import read_manifests, read_table

SCHEMA = load_yaml("config/schemas/common_voice.schema.yaml")
# Speakers with the gender they state and their number of clips of one second.
SPEAKERS = {"anna": ("female", 6), "bob": ("male", 4), "cleo": ("female", 1), "dan": ("", 6)}


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """Write a list and clips as a release has them, mp3 at 48 kHz."""
    folder = tmp_path_factory.mktemp("release") / "en"
    (folder / "clips").mkdir(parents=True)
    rows = []
    for speaker, (gender, count) in SPEAKERS.items():
        for number in range(count):
            clip = f"common_voice_en_{speaker}{number}.mp3"
            tone = 0.3 * np.sin(np.arange(48_000) * 2 * np.pi * 200 / 48_000)
            soundfile.write(folder / "clips" / clip, tone, 48_000, format="MP3")
            sentence = 'He said "no'  # a lone quote must not swallow the lines after it
            rows.append((speaker, clip, sentence, "2", "0", "", gender, "", "en", ""))
    columns = ["client_id", "path", "sentence", "up_votes", "down_votes"]
    columns += ["age", "gender", "accents", "locale", "segment"]
    table = pd.DataFrame(rows, columns=columns)
    table.to_csv(folder / "validated.tsv", sep="\t", index=False, quoting=3)
    return folder


def entry(**changes):
    return checked({"folder": "en", "minimum_s": {"a": 2, "b": 3}, **changes}, SCHEMA, "a test")


def prepare(release, folder, config):
    outputs = {"data": "data", "counts": "counts.tsv", "sums": "SHA256SUMS"}
    paths = {key: str(folder / name) for key, name in outputs.items()}
    listed = str(release / "validated.tsv")
    prepare_common_voice.main(listed, name="cv", config=config, threads=2, **paths)
    return read_table(folder / "counts.tsv").set_index(["set", "quantity"])


def test_sets_are_disjoint_and_hold_who_says_enough(release, tmp_path):
    counts = prepare(release, tmp_path, entry())
    # Two clips of one second fill set A. Anna has four for set B, Bob's other two stay in A.
    assert counts["found"]["a"].to_dict() == {
        "speakers_f": "1",
        "speakers_m": "1",
        "speakers": "2",
        "hours": "0",
        "utterances": "6",
    }
    assert counts["found"]["b", "speakers"] == "1"
    assert counts["found"]["b", "utterances"] == "4"
    assert set(counts["agrees"]) == {""}
    assert len((tmp_path / "SHA256SUMS").read_text().splitlines()) == 2 * 5


def test_manifest_reads_the_directories_and_their_clips(release, tmp_path):
    prepare(release, tmp_path, entry())
    schema = load_yaml("config/schemas/datasets.schema.yaml")
    subsets = {"set_a": "cv_a", "set_b": "cv_b"}
    config = checked({"corpus": "cv", "subsets": subsets, "resample": True}, schema, "a test")
    lists = [str(tmp_path / "SHA256SUMS")]
    prepare_manifest.main(lists, str(tmp_path / "manifest.tsv"), config)
    table = read_manifests([tmp_path / "manifest.tsv"])
    assert table.groupby("subset")["utterance"].size().to_dict() == {"set_a": 6, "set_b": 4}
    samples = read_audio(table["path"][0], resample=True)
    assert len(samples) == pytest.approx(RATE_HZ, rel=0.1)


def test_other_counts_than_the_printed_ones_are_warned_of(release, tmp_path, caplog):
    sizes = {"speakers_f": 1, "speakers_m": 1, "speakers": 2, "hours": 0, "utterances": 7}
    with caplog.at_level(logging.WARNING):
        counts = prepare(release, tmp_path, entry(expected={"a": sizes, "b": sizes}))
    assert counts["agrees"]["a"].to_dict()["speakers"] == "yes"
    assert counts["agrees"]["a", "utterances"] == "no"
    assert "DEVIATION: set A has 6 utterances, printed are 7" in caplog.text


def test_nobody_with_enough_speech_is_an_error(release, tmp_path):
    with pytest.raises(ValueError, match="no speaker has enough speech for set B"):
        prepare(release, tmp_path, entry(minimum_s={"a": 2, "b": 60}))


def test_a_list_of_something_else_is_named(tmp_path):
    (tmp_path / "x.tsv").write_text("path\tsentence\na.mp3\thello\n")
    with pytest.raises(ValueError, match="lacks the columns client_id, gender"):
        read_release(tmp_path / "x.tsv")


def test_dealing_depends_on_nobody_else():
    rows = [(f"{s}{n}", s, 1.0) for s in "ab" for n in range(9)]
    clips = pd.DataFrame(rows, columns=["utterance", "speaker", "duration_s"])
    both = deal_clips(clips, {"a": 3, "b": 2}, seed=0).set_index("utterance")["set"]
    alone = deal_clips(clips[clips["speaker"] == "b"], {"a": 3, "b": 2}, seed=0)
    assert alone.set_index("utterance")["set"].to_dict() == both.filter(like="b").to_dict()
    assert both.value_counts().to_dict() == {"b": 12, "a": 6}


def test_the_paper_s_counts_are_those_of_its_table():
    printed = load_yaml("config/common_voice/cv11.yaml")["expected"]
    for sizes in printed.values():
        assert sizes["speakers_f"] + sizes["speakers_m"] == sizes["speakers"]
    clips = pd.DataFrame(columns=["set", "speaker", "gender", "duration_s"])
    table = count_sets(clips, printed).set_index(["set", "quantity"])
    assert table["expected"]["a", "speakers"] == 22024
    assert table["expected"]["b", "speakers"] == 4949
    assert set(table["agrees"]) == {"no"}
