"""Average the embeddings of each training speaker: the cohort that scores are normalised by."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from scripts.lib.embeddings import load_embeddings, save_embeddings, stack_embeddings
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("average_speakers")


def main(embeddings: Sequence[str], manifests: Sequence[str], speakers: str) -> None:
    """Write one vector per speaker: the mean of his or her embeddings, each of length one.

    Parameters
    ----------
    embeddings
        Embeddings of the training data.
    manifests
        Manifests of the training data.
    speakers
        File to write.
    """
    vectors = load_embeddings(embeddings)
    means = {}
    for speaker, own in read_manifests(manifests).groupby("speaker"):
        matrix = stack_embeddings(vectors, own["utterance"]).astype(np.float64)
        means[speaker] = (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).mean(axis=0)
    save_embeddings(speakers, means)
    logger.info("%d speakers", len(means))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            embeddings=snakemake.input.embeddings,
            manifests=snakemake.input.manifests,
            speakers=snakemake.output.speakers,
        )
