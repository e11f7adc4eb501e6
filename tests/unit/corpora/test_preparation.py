"""Corpora from made-up archives of the same layout, and the committed facts beside real lists."""

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from scripts.lib.corpora import an4, digits60, libri251
from scripts.lib.corpora.archive import Archive
from scripts.lib.kaldi import read_kaldi_dir
from scripts.lib.kaldi_files import read_map
from scripts.lib.manifest import read_table
from tests.unit.corpora.repositories import (
    COMMIT,
    digit_files,
    make_archive,
    spoken_digit,
    wav,
)

CORPORA = Path("../shared/corpora")
FACTS = Path("config/downloads")
needs_corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason=f"no prepared corpora in {CORPORA}")
LISTS = ("utt2spk", "spk2gender", "text", "enrolls", "trials")


def digest(samples):
    return hashlib.md5(samples.astype("<i2").tobytes()).hexdigest()


def rows_of(path):
    return sorted(path.read_text().split("\n")) if path.is_file() else None


@pytest.fixture
def spelled(tmp_path):
    """An archive of two utterances, and their facts."""
    tones = {
        name: (np.arange(16000 + 100 * place) % 80 * 50).astype(np.int16)
        for place, name in enumerate(["an251-fash-b", "cen1-mxyz-b"])
    }
    files = {
        f"wav/an4_clstk/{name.split('-')[1]}/{name}.wav": wav(samples, 16000)
        for name, samples in tones.items()
    }
    lines = "<s> YES </s> (an251-fash-b)\n<s> A B </s> (cen1-mxyz-b)\n"
    files["etc/an4_train.transcription"] = lines.encode()
    facts = pd.DataFrame(
        {
            "utterance": ["fash-an251", "mxyz-cen1"],
            "part": "train",
            "role": "",
            "md5": [digest(samples) for samples in tones.values()],
        }
    )
    return make_archive(tmp_path / "an4.zip", files), facts


def test_an4_is_copied_sample_by_sample(spelled, tmp_path):
    archive, facts = spelled
    an4.prepare(Archive(archive, COMMIT), facts, tmp_path / "data", 0)
    table = read_kaldi_dir(tmp_path / "data/an4/an4_train", tmp_path / "data", "train")
    assert table["utterance"].tolist() == ["fash-an251", "mxyz-cen1"]
    assert table["gender"].tolist() == ["f", "m"]
    assert table["text"].tolist() == ["YES", "A B"]
    for path, md5 in zip(table["path"], facts["md5"], strict=True):
        assert digest(soundfile.read(path, dtype="int16")[0]) == md5


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("md5", "0" * 32, r"an251-fash-b\.wav has samples of MD5 \w+ at 16000 Hz, expected 0000"),
        ("utterance", "fash-gone", r"no recording of utterance fash-gone"),
    ],
)
def test_other_recordings_are_refused(spelled, tmp_path, column, value, message):
    archive, facts = spelled
    facts.loc[0, column] = value
    with pytest.raises(ValueError, match=message):
        an4.prepare(Archive(archive, COMMIT), facts, tmp_path / "data", 0)


def test_archives_of_another_commit_and_no_archives_are_refused(spelled, tmp_path):
    with pytest.raises(ValueError, match=f"is of commit {COMMIT}, expected ffff"):
        Archive(spelled[0], "f" * 40)
    (tmp_path / "page.zip").write_text("<html>")
    with pytest.raises(ValueError, match=r"page\.zip: not a zip archive"):
        Archive(tmp_path / "page.zip", COMMIT)


def test_a_damaged_file_is_named(spelled):
    archive, _ = spelled
    content = bytearray(archive.read_bytes())
    place = content.find(b"WAVEfmt ") + 200
    content[place] ^= 255
    archive.write_bytes(content)
    with pytest.raises(ValueError, match=r"an251-fash-b\.wav is damaged"):
        Archive(archive, COMMIT).read("wav/an4_clstk/fash/an251-fash-b.wav")


@pytest.fixture
def digits(tmp_path):
    """An archive of two speakers, and facts of one utterance each."""
    archive = make_archive(tmp_path / "d.zip", digit_files({"01": "male", "02": "female"}, 1))
    facts = pd.DataFrame(
        {
            "utterance": ["am01-d00", "am02-d00"],
            "speaker": ["am01", "am02"],
            "gender": ["m", "f"],
            "part": "train",
            "gain_db": ["6.0", "0.0"],
            "sample_step": ["8", "1"],
            "recordings": ["1_01_0 9_01_0 0_01_0", "2_02_0 2_02_0"],
        }
    )
    return archive, facts


def test_digits_are_joined_with_pauses(digits, tmp_path):
    archive, facts = digits
    digits60.prepare(Archive(archive, COMMIT), facts, tmp_path / "a", 0)
    table = read_kaldi_dir(tmp_path / "a/digits60/digits60_train", tmp_path / "a", "train")
    assert table["text"].tolist() == ["ONE NINE ZERO", "TWO TWO"]
    # 0.3 s of tone with 40 + 60 ms around it, in frames of 10 ms; pauses of 80 to 250 ms.
    for duration, count in zip(table["duration_s"], (3, 2), strict=True):
        pauses = duration - count * 0.4
        assert (count - 1) * 0.07 < pauses < (count - 1) * 0.26 + 0.02 * count
    samples = soundfile.read(table["path"][0], dtype="int16")[0]
    assert (samples % 8 == 0).all()
    assert np.abs(samples).max() / 32768 == pytest.approx(0.1 * 10 ** (6 / 20), rel=0.05)
    digits60.prepare(Archive(archive, COMMIT), facts, tmp_path / "b", 0)
    again = tmp_path / "b" / Path(table["path"][0]).relative_to(tmp_path / "a")
    assert again.read_bytes() == Path(table["path"][0]).read_bytes()


def test_pauses_have_the_level_of_the_background():
    recordings = [spoken_digit(digit, seed=digit) for digit in range(10)]
    background = digits60.background_of(recordings)
    noise = digits60._noise(background, 48000, np.random.default_rng(0))
    assert noise.std() == pytest.approx(1e-3, rel=0.1)


def test_a_speaker_of_another_gender_is_named(digits, tmp_path):
    archive, facts = digits
    with pytest.raises(ValueError, match="calls speaker am01 male, not f"):
        digits60.prepare(Archive(archive, COMMIT), facts.assign(gender="f"), tmp_path / "a", 0)


def test_clips_are_the_beginnings_of_recordings(tmp_path):
    samples = (np.arange(64000) % 97 * 30).astype(np.int16)
    soundfile.write(tmp_path / "a.flac", samples, 16000)
    name = f"{libri251.FOLDER}/103-1240-0000.flac"
    archive = make_archive(tmp_path / "a.zip", {name: (tmp_path / "a.flac").read_bytes()})
    fact = {"utterance": "103-1240-0000", "gender": "f", "samples": "50000"}
    facts = pd.DataFrame([{**fact, "md5": digest(samples[:50000])}])
    libri251.prepare(Archive(archive, COMMIT), facts, tmp_path, 0)
    table = read_kaldi_dir(tmp_path / "libri251/libri251_pool", tmp_path, "train")
    assert table["duration_s"].tolist() == [50000 / 16000]
    with pytest.raises(ValueError, match="has samples of MD5"):
        libri251.prepare(Archive(archive, COMMIT), facts.assign(samples="4"), tmp_path, 0)


@needs_corpora
def test_an4_of_the_real_recordings_has_the_published_lists(tmp_path):
    files, lines = {}, []
    for part in ("train", "dev_asr", "test_asr"):
        texts = read_map(CORPORA / f"an4/an4_{part}/text")
        for utterance, path in read_map(CORPORA / f"an4/an4_{part}/wav.scp").items():
            speaker, name = utterance.split("-")
            samples = soundfile.read(CORPORA / path, dtype="int16")[0]
            files[f"wav/an4_clstk/{speaker}/{name}-{speaker}-b.wav"] = wav(samples, 16000)
            lines.append(f"<s> {texts[utterance]} </s> ({name}-{speaker}-b)")
    files["etc/an4_train.transcription"] = "\n".join(lines).encode()
    archive = Archive(make_archive(tmp_path / "an4.zip", files), COMMIT)
    an4.prepare(archive, read_table(FACTS / "an4.tsv"), tmp_path, 0)
    assert_same_lists(tmp_path, "an4", exclude=("lang", "flac", "official_test", "official_train"))


@needs_corpora
def test_digits_of_the_committed_facts_have_the_published_lists(tmp_path, monkeypatch):
    # Lists depend on the facts alone, so a short tone stands for each recording.
    tone = spoken_digit(0, 0)[9600:14400]
    monkeypatch.setattr(digits60, "_recording", lambda *_: tone)
    monkeypatch.setattr(digits60, "_check_genders", lambda *_: None)
    archive = Archive(make_archive(tmp_path / "d.zip", {}), COMMIT)
    digits60.prepare(archive, read_table(FACTS / "digits60.tsv"), tmp_path, 0)
    assert_same_lists(tmp_path, "digits60", exclude=("flac",))


def assert_same_lists(folder, corpus, exclude):
    expected = [p for p in (CORPORA / corpus).iterdir() if p.is_dir() and p.name not in exclude]
    assert len(expected) >= 7
    for directory in expected:
        for name in LISTS:
            made = folder / corpus / directory.name / name
            assert rows_of(made) == rows_of(directory / name), f"{directory.name}/{name}"
