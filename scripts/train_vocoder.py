"""Train a vocoder: log-mel, of recordings or predicted, and pitch become a waveform."""

from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.models.training_job import train_model

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

FEATURES = ("content", "pitch", "vectors", "acoustic")

if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        train_model(
            manifests=snakemake.input.manifests,
            model=snakemake.output.model,
            curve=snakemake.output.curve,
            card=snakemake.output.card,
            sources=[
                *snakemake.input.src,
                *snakemake.input.backend,
                *snakemake.input.acoustic_src,
            ],
            seed=snakemake.params.config["model"]["seed"],
            threads=snakemake.threads,
            gpus=snakemake.resources.gpu,
            config=snakemake.params.config,
            features={kind: list(snakemake.input[kind]) for kind in FEATURES},
        )
