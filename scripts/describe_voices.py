"""Measure the voices that a chain system chooses for a dataset."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from scripts.lib.embeddings import load_embeddings, stack_embeddings
from scripts.lib.joblog import job_log
from scripts.lib.layers import read_layers
from scripts.lib.manifest import read_manifests, write_rows
from scripts.lib.voice_figures import network_figures, privacy_excess, row, spread_figures
from scripts.lib.voice_table import read_voices

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("describe_voices")


def main(files: Mapping[str, str | Sequence[str]], figures: str, config: Mapping) -> None:
    """Write a row per figure.

    Parameters
    ----------
    files
        Paths: `voices`, `manifest` and `embeddings` of the dataset, `pool_manifest` and
        `pool_embeddings`, and the `networks` of steps that have one.
    figures
        File to write.
    config
        `system`, `dataset` and `level`, and the system's `steps`.
    """
    utterances = read_manifests([files["manifest"]])
    spoken = read_manifests([files["pool_manifest"]])
    vectors = load_embeddings(files["pool_embeddings"])
    pool = spoken.drop_duplicates("speaker")[["speaker", "gender"]]
    means = np.stack(
        [
            stack_embeddings(vectors, spoken["utterance"][spoken["speaker"] == name]).mean(axis=0)
            for name in pool["speaker"]
        ]
    )
    table = read_voices(files["voices"])
    rows = spread_figures(table, utterances, pool, means, config["level"])
    for step in config["steps"]:
        if step["step"] == "exponential":
            rows.append(row("privacy_excess", privacy_excess(means, list(pool["gender"]), step)))
    for network in files["networks"]:
        heard = load_embeddings(files["embeddings"])
        rows += network_figures(read_layers(network), utterances, heard)
    ids = {"system": config["system"], "dataset": config["dataset"]}
    write_rows(figures, ids, rows)
    logger.info("%d figures of %d voices", len(rows), int(rows[0]["value"]))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            files=dict(snakemake.input.items()),
            figures=snakemake.output.figures,
            config=snakemake.params.config,
        )
