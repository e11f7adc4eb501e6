"""Set one table of a study beside the published values."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.comparison import Comparison
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("compare_table")


def main(table: str, published: Sequence[str], tsv: str, md: str, config: Mapping) -> None:
    """Read a table and published rows, write every cell that both have."""
    rows = pd.concat([read_table(path) for path in published], ignore_index=True)
    comparison = Comparison(config, read_table(table), rows)
    write_table(tsv, comparison.rows)
    with atomic_path(md) as temporary:
        temporary.write_text(comparison.markdown(), encoding="utf-8")
    logger.info("%d cells compared", len(comparison.rows))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            table=snakemake.input.table,
            published=snakemake.input.published,
            tsv=snakemake.output.tsv,
            md=snakemake.output.md,
            config=snakemake.params.config,
        )
