import numpy as np
import pandas as pd
import pytest
import soundfile

from scripts.lib.audio import RATE_HZ
from scripts.lib.kaldi import read_kaldi_dir, read_trials, write_kaldi_dir
from tests.factories import make_evaluation_set, make_trials, make_utterances


@pytest.fixture
def data(tmp_path):
    """A directory of two speakers, and its rows."""
    rows = make_utterances(tmp_path, {"s1": "f", "s2": "m"}, 2, emotion="neu", fold=1)
    write_kaldi_dir(tmp_path / "data", rows, trials=make_trials(rows, ["s1"]), enrolment=True)
    return tmp_path, rows


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_directory_survives_the_round_trip(data):
    folder, rows = data
    table = read_kaldi_dir(folder / "data", folder, "enrol")
    for column in ("utterance", "speaker", "gender", "text", "emotion"):
        assert table[column].tolist() == rows[column].tolist()
    assert table["fold"].tolist() == ["1"] * 4
    np.testing.assert_allclose(table["duration_s"], rows["duration_s"])
    assert (folder / "data" / "spk2utt").read_text() == "s1 s1-u0 s1-u1\ns2 s2-u0 s2-u1\n"
    trials = read_trials(folder / "data" / "trials")
    assert trials["target"].tolist() == [1, 1, 0, 0]


def test_lists_are_sorted_in_byte_order(tmp_path):
    rows = make_utterances(tmp_path, {"b": "f", "B": "f", "a": "m"}, 1)
    write_kaldi_dir(tmp_path / "data", rows)
    keys = [line.split()[0] for line in (tmp_path / "data" / "wav.scp").read_text().splitlines()]
    assert keys == ["B-u0", "a-u0", "b-u0"]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("spk2gender", "s1 f\n", "", r"spk2gender: lacks speaker s1"),
        ("spk2gender", "s1 f", "s1 x", r"speaker s1 has gender 'x'"),
        ("spk2gender", "s1 f\n", "s1\n", r"spk2gender, line 1: s1 has no value"),
        ("spk2gender", "s1 f\n", "s1 f\ns1 m\n", r"spk2gender, line 2: s1 is listed twice"),
        ("utt2spk", "s1-u0 s1\n", "", r"utt2spk: lacks utterance s1-u0|s1-u0 to speaker None"),
        ("utt2spk", "s1-u0 s1", "s1-u0 s2", r"s1-u0 to speaker s2, spk2utt to s1"),
        ("spk2utt", "s1 s1-u0 s1-u1", "s1 s1-u0\ns1 s1-u1", r"spk2utt, line 2: s1 is listed twice"),
        ("wav.scp", "wav/s1-u0.wav", "wav/gone.wav", r"gone\.wav: no such audio file"),
        ("wav.scp", "wav/s1-u0.wav", "sox - |", r"utterance s1-u0 is read through the command"),
        ("utt2dur", "s1-u0 1", "s1-u0 3", r"s1-u0\.wav: lasts 1\.000 s, but .*utt2dur says 3\.000"),
        ("text", "s1-u0 ONE TWO\n", "", r"text: lacks utterance s1-u0"),
        ("utt2emo", "s1-u0 neu", "s1-u0 bored", r"s1-u0 has emotion 'bored'"),
        ("enrolls", "s1-u0\n", "s1-u0\ns1-u0\n", r"enrolls, line 2: s1-u0 is listed twice"),
        ("enrolls", "s1-u0\n", "other\n", r"enrolls: utterance other is not in .*wav\.scp"),
    ],
)
def test_a_wrong_list_is_named(data, file, old, new, message):
    folder, _ = data
    edit(folder / "data" / file, old, new)
    with pytest.raises(ValueError, match=message):
        read_kaldi_dir(folder / "data", folder, "enrol")


def test_missing_directory_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere: not a Kaldi data directory, it lacks wav\.scp"):
        read_kaldi_dir(tmp_path / "nowhere", tmp_path, "train")


def test_pipes_of_old_recipes_are_read_as_files(data):
    folder, _ = data
    edit(folder / "data" / "wav.scp", "wav/s1-u0.wav", "flac -c -d -s wav/s1-u0.wav |")
    assert len(read_kaldi_dir(folder / "data", folder, "enrol")) == 4


def test_only_listed_utterances_are_enrolled(data):
    folder, _ = data
    edit(folder / "data" / "enrolls", "s1-u0\n", "")
    table = read_kaldi_dir(folder / "data", folder, "enrol")
    assert table["utterance"].tolist() == ["s1-u1", "s2-u0", "s2-u1"]


def test_wrong_label_in_trials_is_named(tmp_path):
    (tmp_path / "trials").write_text("s1 u1 target\ns1 u2 Target\n")
    with pytest.raises(ValueError, match=r"trials, line 2: expected .* found 's1 u2 Target'"):
        read_trials(tmp_path / "trials")


def test_channels_and_rates_follow_the_dataset(tmp_path):
    rows = make_utterances(tmp_path, {"s1": "f"}, 1)
    soundfile.write(tmp_path / rows["path"][0], np.zeros((8000, 2)), RATE_HZ // 2)
    write_kaldi_dir(tmp_path / "data", rows)
    with pytest.raises(ValueError, match="8000 Hz"):
        read_kaldi_dir(tmp_path / "data", tmp_path, "train")
    table = read_kaldi_dir(tmp_path / "data", tmp_path, "train", resample=True, downmix=True)
    assert table["duration_s"].tolist() == [1.0]


def test_factory_makes_an_evaluation_set(tmp_path):
    subsets = make_evaluation_set(tmp_path)
    parts = [read_kaldi_dir(tmp_path / d, tmp_path, name) for name, d in subsets.items()]
    assert pd.concat(parts)["utterance"].is_unique
