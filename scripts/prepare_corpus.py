"""Turn the archive of a corpus into audio and Kaldi data directories."""

import importlib
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.corpora.archive import Archive
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_table
from scripts.lib.sums import write_sums

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("prepare_corpus")


def main(archive: str, facts: str, data: str, sums: str, config: Mapping) -> None:
    """Write the corpus below `data`, then the SHA-256 of each of its files to `sums`.

    Parameters
    ----------
    archive, facts
        The downloaded zip file, and the table of what to make of it.
    data, sums
        Folder and file to write.
    config
        `commit`, `preparation` and `seed` of the entry in config/downloads.
    """
    # The list of sums says that the corpus is complete, so an old one goes first.
    Path(sums).unlink(missing_ok=True)
    preparation = importlib.import_module(f"scripts.lib.corpora.{config['preparation']}")
    source = Archive(archive, config["commit"])
    table = preparation.prepare(source, read_table(facts), Path(data), config["seed"])
    licence = Path(data) / config["preparation"] / "LICENSE"
    licence.write_bytes(source.read("LICENSE"))
    write_sums(data, sums)
    logger.info(
        "%d utterances of %d speakers, %.2f hours",
        len(table),
        table["speaker"].nunique(),
        table["duration_s"].sum() / 3600,
    )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            archive=snakemake.input.archive,
            facts=snakemake.input.facts,
            data=snakemake.output.data,
            sums=snakemake.output.sums,
            config=snakemake.params.config,
        )
