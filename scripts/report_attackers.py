"""Say how strong a study's attackers are, and which are too weak for a privacy claim."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.attackers import read_evidence
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.report_card import report_card

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("report_attackers")


def main(metrics: Sequence[str], curves: Sequence[str], md: str, config: Mapping) -> None:
    """Read metric rows and loss curves, write the report card."""
    evidence = read_evidence(config, metrics, curves)
    with atomic_path(md) as temporary:
        temporary.write_text(report_card(config, evidence), encoding="utf-8")
    logger.info("%d warnings", len(evidence.weaknesses()))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            metrics=snakemake.input.metrics,
            curves=snakemake.input.curves,
            md=snakemake.output.md,
            config=snakemake.params.config,
        )
