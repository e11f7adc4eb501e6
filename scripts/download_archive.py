"""Download the archive of a corpus, and note its checksum."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from scripts.lib.downloads import fetch
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("download_archive")


def main(archive: str, record: str, config: Mapping) -> None:
    """Fetch the archive and write its SHA-256, where it came from, and whether it was expected.

    Parameters
    ----------
    archive, record
        Files to write.
    config
        `url`, and `sha256` if it is known.
    """
    expected = config.get("sha256")
    found = fetch(config["url"], archive, expected)
    how = "as expected" if expected else "recorded, there was none to compare with"
    with atomic_path(record) as temporary:
        temporary.write_text(f"sha256: {found}\nurl: {config['url']}\nchecksum: {how}\n", "utf-8")
    logger.info("%s: SHA-256 %s, %s", config["url"], found, how)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            archive=snakemake.output.archive,
            record=snakemake.output.record,
            config=snakemake.params.config,
        )
