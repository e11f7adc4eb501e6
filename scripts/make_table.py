"""Print one table of a study: full precision, Markdown and LaTeX."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.attackers import read_evidence
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table, write_table
from scripts.lib.tables import Table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("make_table")


def main(
    metrics: Sequence[str],
    evidence: Sequence[str],
    curves: Sequence[str],
    tsv: str,
    md: str,
    tex: str,
    config: Mapping,
) -> None:
    """Read metric rows and what shows the attackers' strength, write the table in three forms."""
    rows = pd.concat([read_table(path) for path in metrics], ignore_index=True)
    table = Table(config, rows, read_evidence(config, evidence, curves).weaknesses())
    write_table(tsv, table.tidy())
    for path, text in ((md, table.markdown()), (tex, table.latex())):
        with atomic_path(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
    logger.info("%d rows, %d systems", len(table.rows), len(table.systems))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            metrics=snakemake.input.metrics,
            evidence=snakemake.input.evidence,
            curves=snakemake.input.curves,
            tsv=snakemake.output.tsv,
            md=snakemake.output.md,
            tex=snakemake.output.tex,
            config=snakemake.params.config,
        )
