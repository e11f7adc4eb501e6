"""Train the emotion recognisers of all folds, or take in finished ones."""

import importlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.emotions import fold_of, read_emotional
from scripts.lib.joblog import job_log
from scripts.lib.manifest import write_table
from scripts.lib.model_card import data_summary, write_card
from scripts.lib.models.gpus import processors, use_gpus
from scripts.lib.models.training import fit, load_state, save_state, use_threads
from scripts.lib.provenance import fingerprint

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("train_ser")


def main(
    manifests: Sequence[str],
    model: str,
    curve: str,
    card: str,
    sources: Sequence[str],
    seed: int,
    threads: int,
    gpus: int,
    config: Mapping,
) -> None:
    """Train one model per fold, or take in finished ones, and write them all.

    Parameters
    ----------
    manifests
        Audio manifests of the emotion dataset.
    model, curve, card
        Files to write. Checkpoints stand beside the model while the training runs: they are no
        declared output, so they outlive a killed job, which then goes on from them.
    sources
        Files of code, and of a pretrained encoder, that a checkpoint depends on.
    seed
        Seed of the training.
    threads, gpus
        Cores and GPUs it may use.
    config
        Entry of config/ser with the number of `folds`.
    """
    use_threads(threads)
    use_gpus(gpus)
    utterances = read_emotional(manifests, config["folds"])
    backend = importlib.import_module(f"scripts.lib.models.{config['backend']}")
    facts = {"backend": config["backend"], "data": data_summary({"all folds": utterances})}
    folds = range(1, config["folds"] + 1)
    if "checkpoints" in config:
        models = {fold: backend.finished_model(config, fold) for fold in folds}
        curves = pd.DataFrame({"epoch": 0, "fold": folds})
        facts["checkpoints"] = config["checkpoints"]
        used = []
    else:
        recordings = backend.Recordings(utterances, config)
        valid_for = fingerprint({**config, "seed": seed}, utterances["sha256"], sources)
        models, figures, used = {}, [], []
        for fold in folds:
            used.append(Path(model).with_name(f"checkpoint_{fold}.pt"))
            training = backend.Training(recordings, fold_of(utterances, fold), config, seed)
            rows = fit(
                training,
                epochs=config["epochs"],
                seed=seed,
                checkpoint=used[-1],
                fingerprint=valid_for,
            )
            figures.append(rows.assign(fold=fold))
            models[fold] = training.model()
        curves = pd.concat(figures)
        seconds = sum(load_state(checkpoint)["seconds"] for checkpoint in used)
        facts |= {"seed": seed, "processor": processors(threads), "wall_time_s": round(seconds, 1)}
    write_table(curve, curves)
    final = curves.groupby("fold").last().mean().to_frame().T
    write_card(card, {**facts, "final_is": "mean of the folds"}, final)
    save_state(model, {"config": dict(config), "folds": models})
    for checkpoint in used:
        checkpoint.unlink()


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifests=snakemake.input.manifests,
            model=snakemake.output.model,
            curve=snakemake.output.curve,
            card=snakemake.output.card,
            sources=[*snakemake.input.src, *snakemake.input.backend, *snakemake.input.given],
            seed=int(snakemake.wildcards.seed),
            threads=snakemake.threads,
            gpus=snakemake.resources.gpu,
            config=snakemake.params.config,
        )
