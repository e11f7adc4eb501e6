"""List the accents of a dataset's speakers, as far as they are known."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.joblog import job_log
from scripts.lib.kaldi_files import read_map
from scripts.lib.manifest import read_manifests, write_table
from scripts.lib.synthesis.accents import speaker_accents

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("prepare_accents")


def main(manifest: str, lists: Sequence[str], accents: str, config: Mapping) -> None:
    """Write a table of speaker and accent.

    Parameters
    ----------
    manifest
        Whose speakers are asked for.
    lists
        Files `spk2accent` of a prepared corpus, none if it has none.
    accents
        File to write.
    config
        Perhaps `synthetic`, the entry of an embedded corpus.
    """
    known = speaker_accents(config["synthetic"]) if "synthetic" in config else {}
    for file in lists:
        known |= read_map(file)
    speakers = sorted(set(read_manifests([manifest])["speaker"]))
    rows = [(speaker, known[speaker]) for speaker in speakers if speaker in known]
    write_table(accents, pd.DataFrame(rows, columns=["speaker", "accent"]))
    logger.info("accents of %d of %d speakers", len(rows), len(speakers))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifest=snakemake.input.manifest,
            lists=snakemake.input.lists,
            accents=snakemake.output.accents,
            config=snakemake.params.config,
        )
