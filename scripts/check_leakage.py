"""Set what probes find in the content of a study's systems beside chance and beside the claims."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.leakage import UNIT_ERROR, leakage_report
from scripts.lib.manifest import read_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("check_leakage")
FRACTIONS = ("accuracy", "low", "high", "chance")
NUMBERS = {**dict.fromkeys(FRACTIONS, float), "n": int, "speakers": int}


def main(probes: Sequence[str], curves: Sequence[str], md: str, config: Mapping) -> None:
    """Read probes and loss curves, write the page."""
    rows = pd.concat([read_table(path) for path in probes], ignore_index=True).astype(NUMBERS)
    pairs = zip(config["adversarial"], curves, strict=True)
    named = {name: read_table(path).astype({UNIT_ERROR: float}) for name, path in pairs}
    page = leakage_report(config["title"], rows, config["chains"], named, config["display"])
    with atomic_path(md) as temporary:
        temporary.write_text(page, encoding="utf-8")
    logger.info("%d probes, %d claims fail", len(rows), page.count("**fails**"))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            probes=snakemake.input.probes,
            curves=snakemake.input.curves,
            md=snakemake.output.md,
            config=snakemake.params.config,
        )
