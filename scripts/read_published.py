"""Turn published values into the metric rows that tables and figures read."""

import logging
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.manifest import write_table
from scripts.lib.published import read_vpc2020, read_vpc2020_plan, read_vpc2024

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("read_published")


def main(
    privacy: str,
    trials: str,
    wer: str,
    baselines: str,
    *,
    vpc2020: str,
    plan_09: str,
    plan_11: str,
    vpc2024: str,
) -> None:
    """Read the CSV files of config/published, write tables of rows that do not contradict."""
    for path, rows in (
        (vpc2020, read_vpc2020(privacy, trials)),
        (plan_09, read_vpc2020_plan(wer, "9")),
        (plan_11, read_vpc2020_plan(wer, "11")),
        (vpc2024, read_vpc2024(baselines)),
    ):
        write_table(path, rows)
        logger.info("%s: %d values", path, len(rows))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            privacy=snakemake.input.privacy,
            trials=snakemake.input.trials,
            wer=snakemake.input.wer,
            baselines=snakemake.input.baselines,
            vpc2020=snakemake.output.vpc2020,
            plan_09=snakemake.output.plan_09,
            plan_11=snakemake.output.plan_11,
            vpc2024=snakemake.output.vpc2024,
        )
