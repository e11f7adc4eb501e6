"""Measure how well a fresh probe names speakers from their content, or from their pitch."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.feature_store import read_features
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests, write_table
from scripts.lib.speaker_probe import probe_speakers, summarize, summarize_pitch

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("probe_content")
SUMMARIES = {"content": summarize, "pitch": summarize_pitch}


def main(features: Sequence[str], manifest: str, probe: str, config: Mapping) -> None:
    """Read the features of a dataset, write the probe's accuracy.

    Parameters
    ----------
    features
        Files of all shards of the dataset.
    manifest
        Manifest of the dataset.
    probe
        Table to write: one row.
    config
        `stream` (content or pitch), `name` of its entry, `dataset`.
    """
    utterances = read_manifests([manifest])
    summary = SUMMARIES[config["stream"]]
    shards = [read_features(path) for path in features]
    vectors = {name: summary(shard[name]) for shard in shards for name in shard}
    found = probe_speakers(vectors, utterances)
    write_table(probe, pd.DataFrame([{**config, **found}]))
    logger.info(
        "%s %s: %.1f %% of %d utterances, chance %.1f %%",
        config["stream"],
        config["name"],
        100 * found["accuracy"],
        found["n"],
        100 * found["chance"],
    )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            features=snakemake.input.features,
            manifest=snakemake.input.manifest,
            probe=snakemake.output.probe,
            config=snakemake.params.config,
        )
