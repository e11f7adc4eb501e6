"""The step synthesize_corpus on a corpus of a few speakers."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from scripts import synthesize_corpus
from scripts.lib.configuration import checked, load_yaml
from scripts.lib.kaldi import read_kaldi_dir, read_trials
from scripts.lib.manifest import check_trials
from scripts.lib.synthesis.corpus import DIRECTORIES

SCHEMA = load_yaml(Path(__file__).parents[2] / "config/schemas/synthetic.schema.yaml")
VERIFICATION = {
    "enrolled_per_gender": 1,
    "impostors_per_gender": 1,
    "enrolment_utterances": 1,
    "trial_utterances": 2,
}
TINY = checked(
    {
        "seed": 3,
        "train": {"speakers_per_gender": 1, "utterances": 3},
        "chain": {"speakers_per_gender": 1, "utterances": 2},
        "pool": {"speakers_per_gender": 2, "utterances": 1},
        "dev": VERIFICATION,
        "test": VERIFICATION,
        "emotion": {"sessions": 2, "utterances_per_class": 1},
        "crowd": {"speakers_per_gender": 2, "set_a_utterances": 2, "set_b_utterances": 1},
    },
    SCHEMA,
    "a test",
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synth")
    make(folder, threads=2)
    return folder


def make(folder, threads, config=TINY):
    data, sums = folder / "data", folder / "SHA256SUMS"
    synthesize_corpus.main(data=str(data), sums=str(sums), config=config, threads=threads)
    return sums.read_text()


def test_every_directory_can_be_read_back(corpus):
    data = corpus / "data"
    assert {path.name for path in data.iterdir()} == {"wav", *DIRECTORIES}
    utterances = sum(len(read_kaldi_dir(data / name, data, "x")) for name in DIRECTORIES)
    # Training, chain and pool, twelve in each verification part, four per emotional speaker, crowd.
    assert utterances == 6 + 4 + 4 + 2 * 12 + 4 * 4 + 4 * 3
    assert utterances == len(list(data.glob("wav/*/*.wav")))


def test_recordings_are_16_khz_mono_16_bit_speech(corpus):
    for path in (corpus / "data" / "wav").glob("*/*.wav"):
        header = soundfile.info(path)
        assert (header.samplerate, header.channels, header.subtype) == (16_000, 1, "PCM_16")
        assert 1.5 < header.duration < 8
        samples, _ = soundfile.read(path)
        assert 1e-3 < np.sqrt(np.mean(samples**2)) < 0.3


@pytest.mark.parametrize("part", ["dev", "test"])
@pytest.mark.parametrize("gender", ["f", "m"])
def test_trials_fit_the_lists(corpus, part, gender):
    data = corpus / "data"
    enrolment = read_kaldi_dir(data / f"synth_{part}_enrolls", data, "enrol")
    tested = read_kaldi_dir(data / f"synth_{part}_trials_{gender}", data, "trials")
    trials = read_trials(data / f"synth_{part}_trials_{gender}" / "trials")
    enrolled = enrolment[enrolment["gender"] == gender]
    check_trials(trials, pd.concat([enrolled, tested]), "a test")
    assert len(trials) == enrolled["speaker"].nunique() * len(tested)
    assert set(tested["gender"]) == {gender}
    assert not set(enrolment["text"]) & set(tested["text"])


def test_emotion_lists_name_class_and_fold(corpus):
    data = corpus / "data"
    for part, folds in (("dev", {"1": "f", "2": "m"}), ("test", {"1": "m", "2": "f"})):
        table = read_kaldi_dir(data / f"synth_emotion_{part}", data, part)
        assert dict(zip(table["fold"], table["gender"], strict=True)) == folds
        assert sorted(table["emotion"].unique()) == ["ang", "hap", "neu", "sad"]


def test_threads_change_no_byte_and_old_files_go(corpus, tmp_path):
    stale = tmp_path / "data" / "wav" / "nobody" / "nobody-001.wav"
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"old")
    assert make(tmp_path, threads=1) == (corpus / "SHA256SUMS").read_text()
    assert not stale.exists()


def test_sums_cover_every_file(corpus):
    data = corpus / "data"
    listed = [line.split("  ")[1] for line in (corpus / "SHA256SUMS").read_text().splitlines()]
    present = [p.relative_to(data).as_posix() for p in data.rglob("*") if p.is_file()]
    assert listed == sorted(present)


def test_a_failure_leaves_no_sums(tmp_path):
    (tmp_path / "SHA256SUMS").write_text("of an earlier run")
    with pytest.raises(RuntimeError, match="en-moon"):
        make(tmp_path, threads=1, config={**TINY, "accents": ["en-moon"]})
    assert not (tmp_path / "SHA256SUMS").exists()
