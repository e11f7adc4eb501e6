"""Turn every utterance of one part of a dataset into a speaker embedding."""

import importlib
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scripts.lib.audio import read_audio
from scripts.lib.embeddings import save_embeddings
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests
from scripts.lib.models.training import use_threads

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("embed_utterances")


def main(
    model: Sequence[str], manifests: Sequence[str], embeddings: str, backend: str, threads: int
) -> None:
    """Embed the utterances of the part's shards with one model.

    Parameters
    ----------
    model
        File of the model; none for a backend that brings its own.
    manifests
        Audio manifests.
    embeddings
        File to write.
    backend
        Module of scripts/lib/models.
    threads
        Cores of the job.
    """
    use_threads(threads)
    embedder = importlib.import_module(f"scripts.lib.models.{backend}").Embedder(*model)
    vectors = {}
    for row in read_manifests(manifests).itertuples():
        try:
            vectors[row.utterance] = embedder.embed(read_audio(row.path))
        except ValueError as error:
            raise ValueError(f"utterance {row.utterance}, {row.path}: {error}") from error
    save_embeddings(embeddings, vectors)
    logger.info("%d embeddings", len(vectors))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            model=snakemake.input.model,
            manifests=snakemake.input.manifests,
            embeddings=snakemake.output.embeddings,
            backend=snakemake.params.config["backend"],
            threads=snakemake.threads,
        )
