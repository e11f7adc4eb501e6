"""Draw one figure of a study as vector and as picture."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.figures import FORMS, save_figure
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("make_figure")


def main(metrics: Sequence[str], pdf: str, png: str, config: Mapping) -> None:
    """Read metric rows, write the figure twice."""
    rows = pd.concat([read_table(path) for path in metrics], ignore_index=True)
    save_figure(FORMS[config["form"]["form"]](config, rows), pdf, png)
    logger.info("%d metric rows", len(rows))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            metrics=snakemake.input.metrics,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            config=snakemake.params.config,
        )
