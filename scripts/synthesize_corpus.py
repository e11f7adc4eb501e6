"""Make the embedded corpus of synthetic voices: recordings and Kaldi directories.

The voices are spoken by espeak-ng, a program under GPL-3.0-or-later that comes inside the wheel
`espeakng-loader`. It is only called: neither its data nor what it says is part of the repository.
"""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.sums import write_sums
from scripts.lib.synthesis.corpus import write_corpus
from scripts.lib.synthesis.plan import plan_corpus

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("synthesize_corpus")


def main(data: str, sums: str, config: Mapping, threads: int) -> None:
    """Write the corpus below `data`, then the SHA-256 of each of its files to `sums`."""
    # The list of sums says that the corpus is complete, so an old one goes first.
    Path(sums).unlink(missing_ok=True)
    table = write_corpus(plan_corpus(config), data, seed=config["seed"], threads=threads)
    write_sums(data, sums)
    for part, utterances in table.groupby("part"):
        logger.info(
            "%s: %d speakers, %d utterances, %.1f minutes",
            part,
            utterances["speaker"].nunique(),
            len(utterances),
            utterances["duration_s"].sum() / 60,
        )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            data=snakemake.output.data,
            sums=snakemake.output.sums,
            config=snakemake.params.config,
            threads=snakemake.threads,
        )
