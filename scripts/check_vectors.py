"""Judge the voices that a study's chain systems choose, before they are spoken."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table
from scripts.lib.vectors_report import vectors_report

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("check_vectors")


def main(figures: Sequence[str], md: str, config: Mapping) -> None:
    """Read figures of all systems and datasets, write every claim with its verdict."""
    rows = pd.concat([read_table(path) for path in figures], ignore_index=True)
    page = vectors_report(config["title"], rows, config["systems"], config["display"])
    with atomic_path(md) as temporary:
        temporary.write_text(page, encoding="utf-8")
    logger.info("%d figures are not as expected", page.count("**not as expected**"))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            figures=snakemake.input.figures,
            md=snakemake.output.md,
            config=snakemake.params.config,
        )
