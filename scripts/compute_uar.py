"""Average the recall of the emotion classes over folds."""

import logging
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.emotions import fold_recalls, uar, uar_interval
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table, write_rows

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("compute_uar")
UAR = "recall averaged over classes in each fold, then over folds; bootstrap of utterances"
RECALL = "recall of the class, averaged over folds"
REPLICATES = 1000


def metric_rows(predictions: pd.DataFrame) -> Iterator[dict]:
    """Yield UAR and class recalls of each subset, as fractions."""
    for subset, part in predictions.groupby("subset"):
        low, high = uar_interval(part, replicates=REPLICATES, seed=0)
        yield {
            "subset": subset,
            "metric": "uar",
            "value": uar(part),
            "low": low,
            "high": high,
            "definition": UAR,
        }
        for emotion, recall in fold_recalls(part).mean().items():
            yield {
                "subset": subset,
                "metric": f"recall_{emotion}",
                "value": float(recall),
                "definition": RECALL,
            }


def main(predictions: str, metrics: str, ids: Mapping) -> None:
    """Read predictions, write tidy rows."""
    write_rows(metrics, ids, metric_rows(read_table(predictions)))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            predictions=snakemake.input.predictions,
            metrics=snakemake.output.metrics,
            ids=snakemake.params.ids,
        )
