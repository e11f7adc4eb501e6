"""Judge the five orderings of the VoicePrivacy 2020 results on a study's figures."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.attackers import read_evidence
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table
from scripts.lib.orderings import figures, judge
from scripts.lib.orderings_report import orderings_report

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("check_orderings")


def main(metrics: Sequence[str], curves: Sequence[str], md: str, config: Mapping) -> None:
    """Read metric rows and the attackers' loss curves, write every claim with its verdict."""
    rows = pd.concat([read_table(path) for path in metrics], ignore_index=True)
    found = figures(rows[rows["dataset"].isin(config["datasets"])])
    checks = judge(found)
    weaknesses = read_evidence(config, metrics, curves).weaknesses()
    report = orderings_report(config["title"], found, checks, weaknesses, config["display"])
    with atomic_path(md) as temporary:
        temporary.write_text(report, encoding="utf-8")
    logger.info("%d of %d claims hold", sum(check.holds for check in checks), len(checks))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            metrics=snakemake.input.metrics,
            curves=snakemake.input.curves,
            md=snakemake.output.md,
            config=snakemake.params.config,
        )
