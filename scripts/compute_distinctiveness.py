"""Compute voice distinctiveness and de-identification from similarity matrices."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scripts.lib.joblog import job_log
from scripts.lib.manifest import write_rows
from scripts.lib.metrics import similarity_intervals

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("compute_distinctiveness")
REPLICATES = 1000
DEFINITIONS = {
    "g_vd": "gain of voice distinctiveness, anonymized against original speech, dB",
    "de_id": "loss of voice similarity between a speaker's original and anonymized speech",
}


def metric_rows(matrices: Mapping[str, np.ndarray]) -> Iterator[dict]:
    """Yield one row per metric of a system's matrices `oo`, `oa` and `aa`."""
    found = similarity_intervals(
        matrices["oo"], matrices["oa"], matrices["aa"], seed=0, replicates=REPLICATES
    )
    for metric, interval in found.items():
        yield {
            "metric": metric,
            "value": interval.estimate,
            "low": interval.low,
            "high": interval.high,
            "speakers": len(matrices["oo"]),
            "definition": DEFINITIONS[metric],
        }


def main(matrices: Sequence[str], metrics: str, ids: Mapping) -> None:
    """Read one archive of matrices per gender, write tidy rows."""
    rows = []
    for path in matrices:
        with np.load(path) as archive:
            rows += [{"gender": Path(path).stem, **row} for row in metric_rows(archive)]
    write_rows(metrics, ids, rows)
    logger.info("%d rows", len(rows))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            matrices=snakemake.input.matrices,
            metrics=snakemake.output.metrics,
            ids=snakemake.params.ids,
        )
