"""Assign the utterances of a legal protocol's datasets to set A and set B."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.joblog import job_log
from scripts.lib.legal.sets import SETS, build_sets
from scripts.lib.manifest import check_manifest, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("build_legal_sets")


def main(manifests: Sequence[str], sets: str, config: Mapping) -> None:
    """Read the manifest of each dataset, which its folder names, and write the two sets."""
    tables = [read_table(path).assign(dataset=Path(path).parent.name) for path in manifests]
    utterances = pd.concat(tables, ignore_index=True)
    # Also finds a name that two datasets share, whose embeddings could not be told apart.
    check_manifest(utterances, origin=", ".join(map(str, manifests)))
    table = build_sets(utterances, config)
    write_table(sets, table)
    logger.info("%d utterances of the datasets are in no set", len(utterances) - len(table))
    for name in SETS:
        spoken = table[table["set"] == name].groupby("speaker")["utterance"].size()
        logger.info(
            "set %s: %d speakers, %d utterances, %d to %d of a speaker",
            name.upper(),
            len(spoken),
            spoken.sum(),
            spoken.min(),
            spoken.max(),
        )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifests=snakemake.input.manifests,
            sets=snakemake.output.sets,
            config=snakemake.params.config,
        )
