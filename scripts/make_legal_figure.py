"""Draw the curves of a legal evaluation: a row per metric, a column per length."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.figures import save_figure
from scripts.lib.figures.legal_curves import legal_curves
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("make_legal_figure")


def main(metrics: Sequence[str], pdf: str, png: str, config: Mapping) -> None:
    """Read the rows of all curves, write the figure twice."""
    rows = pd.concat([read_table(path) for path in metrics], ignore_index=True)
    save_figure(legal_curves(config, rows), pdf, png)
    logger.info("%d points", len(rows))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            metrics=snakemake.input.metrics,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            config=snakemake.params.config,
        )
