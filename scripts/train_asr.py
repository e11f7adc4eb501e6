"""Train a speech recogniser on speech as one system renders it."""

import importlib
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests
from scripts.lib.models.training import train_to_file, use_threads
from scripts.lib.provenance import fingerprint

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("train_asr")


def main(
    manifests: Sequence[str],
    model: str,
    curve: str,
    sources: Sequence[str],
    seed: int,
    threads: int,
    config: Mapping,
) -> None:
    """Train until the last epoch and write the model and its loss curve.

    Parameters
    ----------
    manifests
        Audio manifests of the training data.
    model, curve
        Files to write.
    sources
        Files of code that a checkpoint depends on.
    seed, threads
        Seed of the training, and cores it may use.
    config
        Entry of config/asr without its `decoding`, which plays no part.
    """
    use_threads(threads)
    utterances = read_manifests(manifests)
    backend = importlib.import_module(f"scripts.lib.models.{config['backend']}")
    training = backend.Training(utterances, config, seed, threads)
    train_to_file(
        training,
        model=model,
        curve=curve,
        epochs=config["training"]["epochs"],
        seed=seed,
        fingerprint=fingerprint({**config, "seed": seed}, utterances["sha256"], sources),
    )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifests=snakemake.input.manifests,
            model=snakemake.output.model,
            curve=snakemake.output.curve,
            sources=[*snakemake.input.src, *snakemake.input.backend],
            seed=int(snakemake.wildcards.seed),
            threads=snakemake.threads,
            config=snakemake.params.config,
        )
