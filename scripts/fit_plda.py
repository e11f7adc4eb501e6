"""Estimate LDA and PLDA from the embeddings of a model's own training data."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.embeddings import load_embeddings, stack_embeddings
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests
from scripts.lib.plda import fit_plda

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("fit_plda")


def main(embeddings: Sequence[str], manifests: Sequence[str], plda: str, config: Mapping) -> None:
    """Read embeddings of all training utterances, write the parameters.

    Parameters
    ----------
    embeddings
        Archives of all parts of the training data.
    manifests
        Manifests of the training data, which say whose utterance is whose.
    plda
        File to write.
    config
        Key `scoring` of an entry of config/asv.
    """
    utterances = read_manifests(manifests)
    found = fit_plda(
        stack_embeddings(load_embeddings(embeddings), utterances["utterance"]),
        utterances["speaker"].tolist(),
        lda=config["lda"],
        iterations=config["iterations"],
        min_utterances=config["min_utterances"],
    )
    found.save(plda)
    logger.info("variances between speakers: %.3g to %.3g", found.psi[0], found.psi[-1])


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            embeddings=snakemake.input.embeddings,
            manifests=snakemake.input.manifests,
            plda=snakemake.output.plda,
            config=snakemake.params.config,
        )
