"""Broken data stops a run with a message that names the file, and leaves nothing half-written."""

import numpy as np
import pytest
import soundfile
import yaml

from scripts.lib.audio import RATE_HZ
from tests.factories import make_evaluation_set, make_tone

WAV = "wav/f1-t0.wav"


def truncate(corpus):
    path = corpus / WAV
    path.write_bytes(path.read_bytes()[:-500])


def empty(corpus):
    (corpus / WAV).write_bytes(b"")


def slow_rate(corpus):
    soundfile.write(corpus / WAV, make_tone(), RATE_HZ // 2)


def stereo(corpus):
    soundfile.write(corpus / WAV, np.stack([make_tone()] * 2, axis=1), RATE_HZ)


def nan_sample(corpus):
    samples = make_tone()
    samples[5] = np.nan
    soundfile.write(corpus / WAV, samples, RATE_HZ, subtype="FLOAT")


def unknown_trial(corpus):
    with (corpus / "trials_f" / "trials").open("a") as stream:
        stream.write("f1 nobody-t9 nontarget\n")


def enrolled_twice(corpus):
    with (corpus / "enrol" / "enrolls").open("a") as stream:
        stream.write("f1-e0\n")


def no_gender(corpus):
    path = corpus / "trials_f" / "spk2gender"
    path.write_text(path.read_text().replace("f1 f\n", ""))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (truncate, "f1-t0.wav: truncated, 500 bytes of audio are missing"),
        (empty, "f1-t0.wav: empty file"),
        (slow_rate, "f1-t0.wav: sampled at 8000 Hz, expected 16000 Hz"),
        (stereo, "f1-t0.wav: 2 channels, expected 1"),
        (nan_sample, "f1-t0.wav: sample 5 is not a finite number"),
        (unknown_trial, "trials: utterance nobody-t9 not in the manifest's trial subsets"),
        (enrolled_twice, "enrolls, line 9: f1-e0 is listed twice"),
        (no_gender, "spk2gender: lacks speaker f1"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_broken_data_are_named(checkout, spoil, message):
    corpus = checkout.folder / "corpora" / "mine"
    subsets = make_evaluation_set(corpus)
    spoil(corpus)
    entry = {"subsets": {name: f"mine/{d}" for name, d in subsets.items()}, "root": "mine"}
    (checkout.folder / "mine.yaml").write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    targets = ("results/audio/b2/mine/000.tsv", "results/data/mine/trials_f.tsv")
    done = checkout.run("--configfile", "mine.yaml", "--", *targets, check=False)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
    assert not all((checkout.folder / target).exists() for target in targets)
    left = [
        p for p in (checkout.folder / "results").rglob(".*") if p.name != ".snakemake_timestamp"
    ]
    assert left == []


def test_missing_corpus_says_what_to_set(checkout):
    done = checkout.run("results/data/emodb/manifest.tsv", check=False)
    assert done.returncode != 0
    assert "dataset emodb" in done.stdout + done.stderr
    assert "`corpora` key" in done.stdout + done.stderr
