"""Make Kaldi directories of set A and set B from a release of Mozilla Common Voice."""

import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.audio import duration_s
from scripts.lib.common_voice import count_sets, deal_clips, read_release
from scripts.lib.joblog import job_log
from scripts.lib.kaldi import write_kaldi_dir
from scripts.lib.manifest import write_table
from scripts.lib.sums import write_sums

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("prepare_common_voice")


def main(
    listed: str, data: str, counts: str, sums: str, name: str, config: Mapping, threads: int
) -> None:
    """Read the list and the length of every clip, write both sets, their sizes and checksums.

    Parameters
    ----------
    listed
        List of the release; the folder `clips` lies beside it.
    data
        Folder to write `{name}_a` and `{name}_b` into.
    counts, sums
        Tables to write: sizes of the sets beside the printed ones, and checksums of the lists.
    name
        Name of the corpus entry.
    config
        The corpus entry.
    threads
        How many clips are opened at a time.
    """
    folder = Path(listed).resolve().parent / "clips"
    clips = read_release(listed)
    clips["path"] = [str(folder / clip) for clip in clips["clip"]]
    with ThreadPoolExecutor(threads) as pool:
        lengths = pool.map(partial(duration_s, resample=True, downmix=True), clips["path"])
        clips["duration_s"] = list(lengths)
    dealt = deal_clips(clips.assign(text=""), config["minimum_s"], config["seed"])
    sizes = count_sets(dealt, config.get("expected", {}))
    for row in sizes.itertuples():
        logger.info("set %s: %s %s", row.set.upper(), row.found, row.quantity)
    for row in sizes[sizes["agrees"] == "no"].itertuples():
        logger.warning(
            "DEVIATION: set %s has %s %s, printed are %s",
            row.set.upper(),
            row.found,
            row.quantity,
            row.expected,
        )
    directories = {part: f"{name}_{part}" for part in ("a", "b")}
    for part, directory in directories.items():
        if not (dealt["set"] == part).any():
            raise ValueError(f"{listed}: no speaker has enough speech for set {part.upper()}")
        write_kaldi_dir(Path(data) / directory, dealt[dealt["set"] == part])
    write_table(counts, sizes)
    write_sums(data, sums)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            listed=snakemake.input.listed,
            data=snakemake.output.data,
            counts=snakemake.output.counts,
            sums=snakemake.output.sums,
            name=snakemake.wildcards.release,
            config=snakemake.params.config,
            threads=snakemake.threads,
        )
