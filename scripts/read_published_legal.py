"""Turn the published curves of the legal framework into rows as we compute them."""

import logging
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.legal.published_curves import read_curves
from scripts.lib.manifest import write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("read_published_legal")


def main(curves: str, metrics: str) -> None:
    """Read the CSV file of config/published, write tidy rows."""
    rows = read_curves(curves)
    write_table(metrics, rows)
    logger.info("%d points of %d curves", len(rows), rows.groupby(["system", "metric"]).ngroups)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(curves=snakemake.input.curves, metrics=snakemake.output.metrics)
