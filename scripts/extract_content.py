"""Say what is said in each frame of the recordings of one shard."""

import importlib
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.extraction import extract_features
from scripts.lib.joblog import job_log
from scripts.lib.models.training import load_state, use_threads

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("extract_content")


def main(
    model: Sequence[str], manifests: Sequence[str], features: str, config: Mapping, threads: int
) -> None:
    """Write the content of every utterance.

    Parameters
    ----------
    model
        File of the trained extractor; none for one without training.
    manifests
        Audio manifests of the shard.
    features
        File to write.
    config
        Entry of config/content.
    threads
        Cores of the job.
    """
    use_threads(threads)
    backend = importlib.import_module(f"scripts.lib.models.{config['backend']}")
    extractor = backend.Extractor(load_state(model[0]) if model else None, config)
    count = extract_features(manifests, features, extractor.features)
    logger.info("content of %d utterances", count)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            model=snakemake.input.model,
            manifests=snakemake.input.manifests,
            features=snakemake.output.features,
            config=snakemake.params.config,
            threads=snakemake.threads,
        )
