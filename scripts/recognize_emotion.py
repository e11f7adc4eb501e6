"""Classify each utterance of a part with the model that never heard its speaker."""

import importlib
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.emotions import fold_of, read_emotional
from scripts.lib.joblog import job_log
from scripts.lib.manifest import write_table
from scripts.lib.models.training import load_state, use_threads

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("recognize_emotion")


def main(model: str, manifests: Sequence[str], predictions: str, threads: int) -> None:
    """Classify the utterances of each fold, write truth and prediction side by side."""
    use_threads(threads)
    stored = load_state(model)
    config = stored["config"]
    utterances = read_emotional(manifests, config["folds"], whole=False)
    backend = importlib.import_module(f"scripts.lib.models.{config['backend']}")
    recordings = backend.Recordings(utterances, config)
    columns = ["utterance", "speaker", "emotion"]
    parts = []
    for number, fold_model in stored["folds"].items():
        fold = fold_of(utterances, number)
        for subset, chosen in (("dev", fold.dev), ("test", fold.test)):
            predicted = backend.classify(recordings, chosen, fold_model, config)
            part = utterances.iloc[chosen][columns]
            parts.append(part.assign(subset=subset, fold=number, predicted=predicted))
    write_table(predictions, pd.concat(parts))
    logger.info("%d utterances in %d folds", len(utterances), config["folds"])


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            model=snakemake.input.model,
            manifests=snakemake.input.manifests,
            predictions=snakemake.output.predictions,
            threads=snakemake.threads,
        )
