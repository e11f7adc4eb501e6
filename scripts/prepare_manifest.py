"""Read a dataset's Kaldi directories into one checked table of utterances."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.folds import check_fold_table
from scripts.lib.joblog import job_log
from scripts.lib.kaldi import dataset_folder, read_kaldi_dir
from scripts.lib.manifest import write_manifest

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("prepare_manifest")


def main(lists: Sequence[str], manifest: str, config: Mapping) -> None:
    """Read every subset of a dataset and write its manifest."""
    folder = dataset_folder(lists, config)
    parts = [
        read_kaldi_dir(
            folder / directory,
            folder / config["root"],
            subset,
            resample=config["resample"],
            downmix=config["downmix"],
        )
        for subset, directory in config["subsets"].items()
    ]
    utterances = pd.concat(parts, ignore_index=True)
    if "fold_table" in config:
        check_fold_table(utterances, config["fold_table"])
    write_manifest(manifest, utterances)
    logger.info(
        "%d utterances of %d speakers, %.2f hours",
        len(utterances),
        utterances["speaker"].nunique(),
        utterances["duration_s"].sum() / 3600,
    )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            lists=snakemake.input.lists,
            manifest=snakemake.output.manifest,
            config=snakemake.params.config,
        )
