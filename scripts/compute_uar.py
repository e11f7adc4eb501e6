"""Average the recall of the emotion classes over folds."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.emotions import fold_recalls, uar, uar_interval
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_parts, write_rows

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("compute_uar")
UAR = "recall averaged over classes in each fold, then over folds; bootstrap of utterances"
RECALL = "recall of the class, averaged over folds"
FOLD = "recall averaged over the classes of the fold; bootstrap of utterances"
REPLICATES = 1000


def metric_rows(predictions: pd.DataFrame) -> Iterator[dict]:
    """Yield UAR in all and by fold, and class recalls of each subset, as fractions."""
    for subset, part in predictions.groupby("subset"):
        yield {"subset": subset, "metric": "uar", **_with_interval(part), "definition": UAR}
        # In order of number, not of text.
        for fold in sorted(part["fold"].unique(), key=int):
            yield {
                "subset": subset,
                "fold": fold,
                "metric": "uar_fold",
                **_with_interval(part[part["fold"] == fold]),
                "definition": FOLD,
            }
        for emotion, recall in fold_recalls(part).mean().items():
            yield {
                "subset": subset,
                "metric": f"recall_{emotion}",
                "value": float(recall),
                "definition": RECALL,
            }


def _with_interval(predictions: pd.DataFrame) -> dict[str, float]:
    low, high = uar_interval(predictions, replicates=REPLICATES, seed=0)
    return {"value": uar(predictions), "low": low, "high": high}


def main(predictions: Sequence[str], metrics: str, ids: Mapping) -> None:
    """Read the predictions of all parts, write tidy rows."""
    write_rows(metrics, ids, metric_rows(read_parts(predictions)))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            predictions=snakemake.input.predictions,
            metrics=snakemake.output.metrics,
            ids=snakemake.params.ids,
        )
