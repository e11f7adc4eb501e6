"""Join the scores that a system was handed in as with the trials they belong to."""

import logging
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table, write_table
from scripts.lib.score_lists import join_scores, read_score_list

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("import_scores")


def main(given: str, trials: str, scores: str) -> None:
    """Read a list of scores and a trial list, write the scored trials."""
    joined = join_scores(read_table(trials), read_score_list(given), origin=given)
    write_table(scores, joined)
    logger.info("%s: %d trials, %d target", given, len(joined), joined["target"].sum())


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            given=snakemake.input.given,
            trials=snakemake.input.trials,
            scores=snakemake.output.scores,
        )
