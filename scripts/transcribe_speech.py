"""Transcribe the trial utterances of a dataset with a recogniser that others trained."""

import importlib
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.audio import read_audio
from scripts.lib.characters import check_words
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests, write_table
from scripts.lib.models.training import use_threads
from scripts.lib.transcripts import COLUMNS, trial_utterances

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("transcribe_speech")


def batches_by_length(utterances: pd.DataFrame, size: int) -> list[pd.DataFrame]:
    """Return batches of utterances, the longest first; equal lengths keep their order."""
    ordered = utterances.sort_values("duration_s", ascending=False, kind="stable")
    return [ordered.iloc[start : start + size] for start in range(0, len(ordered), size)]


def main(manifests: Sequence[str], transcripts: str, config: Mapping, threads: int) -> None:
    """Recognise all utterances of subsets whose name starts with "trials", batch by batch.

    Parameters
    ----------
    manifests
        Audio manifests of the whole dataset, because a batch may change what is heard.
    transcripts
        Table to write.
    config
        Entry of config/asr.
    threads
        Cores of the job.
    """
    use_threads(threads)
    trials = trial_utterances(read_manifests(manifests))
    check_words(trials, ", ".join(manifests))
    backend = importlib.import_module(f"scripts.lib.models.{config['backend']}")
    recognizer = backend.Transcriber(config)
    found = {}
    for batch in batches_by_length(trials, config["batch"]):
        texts = recognizer.transcribe([read_audio(path) for path in batch["path"]])
        found |= dict(zip(batch["utterance"], texts, strict=True))
    rows = [
        {
            "utterance": row.utterance,
            "speaker": row.speaker,
            "subset": row.subset,
            # Nothing is weighted against what is heard.
            "lm_weight": 0.0,
            "insertion_penalty": 0.0,
            **_compared(recognizer, row.utterance, row.text, found[row.utterance]),
        }
        for row in trials.itertuples()
    ]
    write_table(transcripts, pd.DataFrame(rows, columns=COLUMNS))
    logger.info("%d utterances in batches of %d", len(trials), config["batch"])


def _compared(recognizer: object, utterance: str, text: str, heard: str) -> dict[str, str]:
    reference, hypothesis = recognizer.normalize(text, heard)
    if not reference:
        raise ValueError(f"utterance {utterance}: nothing is left of its text {text!r} to compare")
    return {"reference": reference, "hypothesis": hypothesis}


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifests=snakemake.input.manifests,
            transcripts=snakemake.output.transcripts,
            config=snakemake.params.config,
            threads=snakemake.threads,
        )
