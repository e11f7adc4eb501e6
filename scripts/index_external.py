"""Check the finished audio of an external system and list it with a hash per file.

The list is small and compares by content. It stands between the user's files, which are inputs of
this step one by one, and the shards, which would otherwise each wait for all of them.
"""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scripts.lib.external_index import build_index
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("index_external")


def main(manifest: str, index: str, config: Mapping) -> None:
    """Match the files to the utterances of a dataset, check them, write their list."""
    table = build_index(read_manifests([manifest]), config)
    write_table(index, table)
    logger.info("%d utterances in %s", len(table), config["location"])


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifest=snakemake.input.manifest,
            index=snakemake.output.index,
            config=snakemake.params.config,
        )
