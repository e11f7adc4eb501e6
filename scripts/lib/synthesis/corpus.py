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
from scripts.lib.corpora.lists import all_trials
from scripts.lib.kaldi import write_kaldi_dir
from scripts.lib.seeding import rng_for
from scripts.lib.synthesis.plan import GENDERS, Utterance
from scripts.lib.synthesis.rendering import ESPEAK_RATE_HZ, record, speak

WAV = "wav"
DIRECTORIES = (
    "synth_train",
    "synth_chain",
    "synth_pool",
    "synth_dev_enrolls",
    "synth_dev_trials_f",
    "synth_dev_trials_m",
    "synth_test_enrolls",
    "synth_test_trials_f",
    "synth_test_trials_m",
    "synth_emotion_dev",
    "synth_emotion_test",
    "synth_crowd_a",
    "synth_crowd_b",
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
    for part, spoken in table.groupby("part"):
        if part in ("dev", "test"):
            _write_verification(data, part, spoken)
        else:
            write_kaldi_dir(data / f"synth_{part}", spoken)
    return table


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
