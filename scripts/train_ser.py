"""Train the emotion recognisers of all folds, each without its fold's speakers."""

import importlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.emotions import read_emotional, utterances_outside
from scripts.lib.joblog import job_log
from scripts.lib.manifest import write_table
from scripts.lib.models.training import fit, save_state, use_threads
from scripts.lib.provenance import fingerprint

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("train_ser")


def main(
    manifests: Sequence[str],
    model: str,
    curve: str,
    sources: Sequence[str],
    seed: int,
    threads: int,
    config: Mapping,
) -> None:
    """Train one model per fold and write them all, with their loss curves.

    Parameters
    ----------
    manifests
        Audio manifests of the emotion dataset.
    model, curve
        Files to write. Checkpoints stand beside the model while the training runs: they are no
        declared output, so they outlive a killed job, which then goes on from them.
    sources
        Files of code that a checkpoint depends on.
    seed, threads
        Seed of the training, and cores it may use.
    config
        Entry of config/ser with the number of `folds`.
    """
    use_threads(threads)
    utterances = read_emotional(manifests, config["folds"])
    backend = importlib.import_module(f"scripts.lib.models.{config['backend']}")
    recordings = backend.Recordings(utterances, config)
    valid_for = fingerprint({**config, "seed": seed}, utterances["sha256"], sources)
    models, curves = {}, []
    checkpoints = {
        fold: Path(model).with_name(f"checkpoint_{fold}.pt")
        for fold in range(1, config["folds"] + 1)
    }
    for fold, checkpoint in checkpoints.items():
        training = backend.Training(recordings, utterances_outside(utterances, fold), config, seed)
        figures = fit(
            training,
            epochs=config["epochs"],
            seed=seed,
            checkpoint=checkpoint,
            fingerprint=valid_for,
        )
        curves.append(figures.assign(fold=fold))
        models[fold] = training.model()
    write_table(curve, pd.concat(curves))
    save_state(model, {"config": dict(config), "folds": models})
    for checkpoint in checkpoints.values():
        checkpoint.unlink()


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
