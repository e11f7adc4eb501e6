"""Record the planned utterances of the embedded corpus and list them in Kaldi directories."""

import shutil
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pandas as pd

from scripts.lib.audio import RATE_HZ, write_audio
from scripts.lib.files import atomic_path
from scripts.lib.kaldi import write_kaldi_dir
from scripts.lib.provenance import file_digest
from scripts.lib.seeding import rng_for
from scripts.lib.synthesis.plan import GENDERS, Utterance
from scripts.lib.synthesis.rendering import ESPEAK_RATE_HZ, record, speak

WAV = "wav"
DIRECTORIES = (
    "synth_train",
    "synth_dev_enrolls",
    "synth_dev_trials_f",
    "synth_dev_trials_m",
    "synth_test_enrolls",
    "synth_test_trials_f",
    "synth_test_trials_m",
    "synth_emotion_dev",
    "synth_emotion_test",
)


def write_corpus(
    utterances: Sequence[Utterance], data: str | Path, seed: int, threads: int
) -> pd.DataFrame:
    """Write recordings and lists, replacing those of an earlier run.

    Parameters
    ----------
    utterances
        The planned corpus.
    data
        Folder to write into: `wav/<speaker>/<utterance>.wav` and a folder per Kaldi directory.
    seed
        Seed of the background noise.
    threads
        How many speakers are recorded at a time; the recordings do not depend on it.

    Returns
    -------
    pandas.DataFrame
        A row per utterance: its slot, `path`, `text` and `duration_s`.
    """
    data = Path(data)
    for folder in (WAV, *DIRECTORIES):
        if (data / folder).exists():
            shutil.rmtree(data / folder)
    by_speaker = defaultdict(list)
    for utterance in utterances:
        by_speaker[utterance.slot.speaker].append(utterance)
    with ThreadPoolExecutor(threads) as pool:
        jobs = pool.map(partial(_record_speaker, data=data, seed=seed), by_speaker.values())
        table = pd.DataFrame([row for rows in jobs for row in rows])
    for part in ("train", "emotion_dev", "emotion_test"):
        write_kaldi_dir(data / f"synth_{part}", table[table["part"] == part])
    for part in ("dev", "test"):
        _write_verification(data, part, table[table["part"] == part])
    return table


def all_trials(enrolment: pd.DataFrame, tested: pd.DataFrame) -> pd.DataFrame:
    """Pair every enrolled speaker with every trial utterance.

    Parameters
    ----------
    enrolment, tested
        Columns `speaker` and `utterance`.

    Examples
    --------
    >>> enrolment = pd.DataFrame({"speaker": ["s1", "s1"], "utterance": ["a", "b"]})
    >>> tested = pd.DataFrame({"speaker": ["s1", "s2"], "utterance": ["c", "d"]})
    >>> all_trials(enrolment, tested).to_dict("list")
    {'enrol': ['s1', 's1'], 'test': ['c', 'd'], 'target': [1, 0]}
    """
    speakers = enrolment[["speaker"]].drop_duplicates().rename(columns={"speaker": "enrol"})
    pairs = speakers.merge(tested.rename(columns={"utterance": "test"}), how="cross")
    return pairs.assign(target=(pairs["enrol"] == pairs["speaker"]).astype(int))[
        ["enrol", "test", "target"]
    ]


def write_sums(data: str | Path, sums: str | Path) -> None:
    """List the SHA-256 of every file of the corpus, sorted by path, as `sha256sum` prints it."""
    data = Path(data)
    files = [file for folder in (WAV, *DIRECTORIES) for file in (data / folder).rglob("*")]
    names = sorted(file.relative_to(data).as_posix() for file in files if file.is_file())
    with atomic_path(sums) as temporary:
        lines = (f"{file_digest(data / name)}  {name}\n" for name in names)
        temporary.write_text("".join(lines), encoding="utf-8")


def _record_speaker(utterances: Sequence[Utterance], data: Path, seed: int) -> list[dict]:
    rows = []
    speeches = speak([utterance.sentence for utterance in utterances])
    for utterance, speech in zip(utterances, speeches, strict=True):
        slot = utterance.slot
        rng = rng_for(seed, "noise", slot.name)
        samples = record(speech, utterance.conditions, rng, ESPEAK_RATE_HZ)
        path = f"{WAV}/{slot.speaker}/{slot.name}.wav"
        write_audio(data / path, samples)
        row = {"utterance": slot.name, "path": path, "text": utterance.sentence.text.upper()}
        rows.append({**asdict(slot), **row, "duration_s": len(samples) / RATE_HZ})
    return rows


def _write_verification(data: Path, part: str, table: pd.DataFrame) -> None:
    enrolment = table[table["enrolment"]]
    write_kaldi_dir(data / f"synth_{part}_enrolls", enrolment, enrolment=True)
    for gender in GENDERS:
        tested = table[~table["enrolment"] & (table["gender"] == gender)]
        trials = all_trials(enrolment[enrolment["gender"] == gender], tested)
        write_kaldi_dir(data / f"synth_{part}_trials_{gender}", tested, trials=trials)
