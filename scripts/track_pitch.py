"""Track the pitch of the recordings of one shard."""

import importlib
import logging
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from scripts.lib.extraction import extract_features
from scripts.lib.joblog import job_log

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("track_pitch")


def main(manifests: Sequence[str], features: str, config: Mapping) -> None:
    """Write the pitch of every utterance in Hz, 0 where it is not voiced.

    Parameters
    ----------
    manifests
        Audio manifests of the shard.
    features
        File to write.
    config
        Entry of config/pitch.
    """
    backend = importlib.import_module(f"scripts.lib.pitch.{config['backend']}")
    count = extract_features(manifests, features, partial(backend.track, config=config))
    logger.info("pitch of %d utterances", count)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifests=snakemake.input.manifests,
            features=snakemake.output.features,
            config=snakemake.params.config,
        )
