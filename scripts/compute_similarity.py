"""Compute the voice similarity matrices of one system: original, anonymized, and across."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scripts.lib.embeddings import load_embeddings
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import TRIALS_OF, named, read_manifests
from scripts.lib.metrics import similarity_matrix

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("compute_similarity")
Vectors = Mapping[str, np.ndarray]


def similarity_matrices(
    utterances: pd.DataFrame, original: Vectors, anonymized: Vectors
) -> dict[str, np.ndarray]:
    """Return the matrices `oo`, `oa` and `aa` and the `speakers` of their rows.

    Parameters
    ----------
    utterances
        Trial utterances of one gender, with columns utterance and speaker.
    original, anonymized
        One embedding of shape (dim,) per utterance. Pairs are scored by the cosine.
    """
    ordered = utterances.sort_values("utterance")
    sides = [_unit_rows(ordered["utterance"], vectors) for vectors in (original, anonymized)]
    result = {}
    for name, (rows, columns) in (("oo", (0, 0)), ("oa", (0, 1)), ("aa", (1, 1))):
        left, right = sides[rows], sides[columns]
        found = similarity_matrix(
            lambda start, stop, left=left, right=right: left[start:stop] @ right.T,
            ordered["speaker"].tolist(),
        )
        result |= {name: found.matrix, "speakers": np.array(found.speakers)}
    return result


def _unit_rows(names: pd.Series, vectors: Vectors) -> np.ndarray:
    missing = [name for name in names if name not in vectors]
    if missing:
        raise ValueError(f"{named(missing)} without an embedding")
    matrix = np.stack([vectors[name] for name in names]).astype(np.float64)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def main(original: str, anonymized: str, manifest: str, matrices: str, gender: str) -> None:
    """Read embeddings of both kinds of speech, write the three matrices of one gender."""
    utterances = read_manifests([manifest])
    trials = utterances[utterances["subset"] == TRIALS_OF[gender]]
    try:
        found = similarity_matrices(trials, load_embeddings(original), load_embeddings(anonymized))
    except ValueError as error:
        raise ValueError(f"{manifest}, {TRIALS_OF[gender]}: {error}") from error
    with atomic_path(matrices) as temporary:
        np.savez(temporary, **found)
    logger.info("%d utterances of %d speakers", len(trials), len(found["speakers"]))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            original=snakemake.input.original,
            anonymized=snakemake.input.anonymized,
            manifest=snakemake.input.manifest,
            matrices=snakemake.output.matrices,
            gender=snakemake.wildcards.gender,
        )
