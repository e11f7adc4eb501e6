"""Find the attacker that recognises most on each system of a study."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.contest import contest, contest_report
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("find_strongest")


def main(metrics: Sequence[str], tsv: str, md: str, config: Mapping) -> None:
    """Read metric rows of all attacks, write them with the strongest marked, and for reading."""
    rows = pd.concat([read_table(path) for path in metrics], ignore_index=True)
    table = contest(rows)
    write_table(tsv, table)
    with atomic_path(md) as temporary:
        report = contest_report(table, config["title"], config["display"])
        temporary.write_text(report, encoding="utf-8")
    logger.info("%d attacks", len(table[["asv", "attacker"]].drop_duplicates()))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            metrics=snakemake.input.metrics,
            tsv=snakemake.output.tsv,
            md=snakemake.output.md,
            config=snakemake.params.config,
        )
