"""Train a content extractor: a recogniser whose inside says what is said, frame by frame."""

from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.models.training_job import train_model

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        train_model(
            manifests=snakemake.input.manifests,
            model=snakemake.output.model,
            curve=snakemake.output.curve,
            card=snakemake.output.card,
            sources=[*snakemake.input.src, *snakemake.input.backend],
            seed=snakemake.params.config["model"]["seed"],
            threads=snakemake.threads,
            gpus=snakemake.resources.gpu,
            config=snakemake.params.config,
            initial=snakemake.input.initial,
        )
