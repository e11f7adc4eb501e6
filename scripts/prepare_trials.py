"""Read one gender's trial list and check it against the manifest."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.kaldi import dataset_folder, read_trials
from scripts.lib.manifest import TRIALS_OF, check_trials, read_manifests, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("prepare_trials")


def main(lists: Sequence[str], manifest: str, trials: str, gender: str, config: Mapping) -> None:
    """Read and check the trial list of one gender, write it as a table."""
    path = dataset_folder(lists, config) / config["subsets"][TRIALS_OF[gender]] / "trials"
    if not path.is_file():
        raise ValueError(f"{path}: no such trial list; lines are `speaker utterance target`")
    table = read_trials(path)
    check_trials(table, read_manifests([manifest]), origin=path)
    write_table(trials, table)
    logger.info("%d trials, %d target", len(table), table["target"].sum())


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            lists=snakemake.input.lists,
            manifest=snakemake.input.manifest,
            trials=snakemake.output.trials,
            gender=snakemake.wildcards.gender,
            config=snakemake.params.config,
        )
