"""Print a legal evaluation at named population sizes, with intervals and chance."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.legal.report import LegalTable
from scripts.lib.manifest import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("make_legal_table")


def main(metrics: Sequence[str], tsv: str, md: str, tex: str, config: Mapping) -> None:
    """Read the rows of all curves, write the table in three forms."""
    rows = pd.concat([read_table(path) for path in metrics], ignore_index=True)
    table = LegalTable(config, rows)
    write_table(tsv, table.tidy)
    for path, text in ((md, table.markdown()), (tex, table.latex())):
        with atomic_path(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    logger.info("%d cells", len(table.tidy))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            metrics=snakemake.input.metrics,
            tsv=snakemake.output.tsv,
            md=snakemake.output.md,
            tex=snakemake.output.tex,
            config=snakemake.params.config,
        )
