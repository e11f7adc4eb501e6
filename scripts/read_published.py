"""Turn published values into the metric rows that tables and figures read."""

import logging
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.manifest import write_table
from scripts.lib.published import read_vpc2020, read_vpc2024

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("read_published")


def main(privacy: str, trials: str, baselines: str, vpc2020: str, vpc2024: str) -> None:
    """Read the CSV files of config/published, write one table of rows per document."""
    for path, rows in (
        (vpc2020, read_vpc2020(privacy, trials)),
        (vpc2024, read_vpc2024(baselines)),
    ):
        write_table(path, rows)
        logger.info("%s: %d values", path, len(rows))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            privacy=snakemake.input.privacy,
            trials=snakemake.input.trials,
            baselines=snakemake.input.baselines,
            vpc2020=snakemake.output.vpc2020,
            vpc2024=snakemake.output.vpc2024,
        )
