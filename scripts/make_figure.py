"""Draw one figure of a study as vector and as picture."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.figures import draw_figure, save_figure
from scripts.lib.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("make_figure")


def main(files: Sequence[str], pdf: str, png: str, config: Mapping) -> None:
    """Read metric rows, scores or matrices, write the figure twice."""
    save_figure(draw_figure(config, files), pdf, png)
    logger.info("%s from %d files", config["name"], len(files))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            files=snakemake.input.files,
            pdf=snakemake.output.pdf,
            png=snakemake.output.png,
            config=snakemake.params.config,
        )
