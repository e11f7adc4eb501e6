"""Read one gender's trial list and check it against the manifest."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.kaldi import dataset_folder, read_speakers, read_trials
from scripts.lib.manifest import TRIALS_OF, check_trials, read_manifests, write_table
from scripts.lib.score_lists import name_speakers

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("prepare_trials")


def main(
    lists: Sequence[str], manifest: Sequence[str], trials: str, gender: str, config: Mapping
) -> None:
    """Read and check the trial list of one gender, write it as a table.

    A dataset without audio has no manifest; its trials then name the speaker of each utterance.
    """
    path = dataset_folder(lists, config) / config["subsets"][TRIALS_OF[gender]] / "trials"
    if not path.is_file():
        raise ValueError(f"{path}: no such trial list; lines are `speaker utterance target`")
    table = read_trials(path)
    if manifest:
        check_trials(table, read_manifests(manifest), origin=path)
    else:
        listed = path.with_name("utt2spk")
        table = name_speakers(table, read_speakers(listed) if listed.is_file() else {}, path)
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
