"""Compute the voice similarity matrices of one system: original, anonymized, and across."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scripts.lib.embeddings import load_embeddings, stack_embeddings
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import TRIALS_OF, read_manifests
from scripts.lib.metrics import similarity_matrix
from scripts.lib.scoring import Scorer, load_scorer

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("compute_similarity")
Vectors = Mapping[str, np.ndarray]


def similarity_matrices(
    utterances: pd.DataFrame, original: Vectors, anonymized: Vectors, scorer: Scorer
) -> dict[str, np.ndarray]:
    """Return the matrices `oo`, `oa` and `aa` and the `speakers` of their rows.

    Parameters
    ----------
    utterances
        Trial utterances of one gender, with columns utterance and speaker.
    original, anonymized
        One embedding of shape (dim,) per utterance.
    scorer
        Compares pairs: one utterance is enrolled as if it were all that is known of a speaker.
    """
    ordered = utterances.sort_values("utterance")
    sides = [stack_embeddings(vectors, ordered["utterance"]) for vectors in (original, anonymized)]
    enrolled = [scorer.enrol(vectors[:, None]) for vectors in sides]
    probes = [scorer.probe(vectors) for vectors in sides]
    result = {}
    for name, (rows, columns) in (("oo", (0, 0)), ("oa", (0, 1)), ("aa", (1, 1))):
        left, right = enrolled[rows], probes[columns]
        found = similarity_matrix(
            lambda start, stop, left=left, right=right: scorer.score(left[start:stop], right),
            ordered["speaker"].tolist(),
        )
        result |= {name: found.matrix, "speakers": np.array(found.speakers)}
    return result


def main(
    original: Sequence[str],
    anonymized: Sequence[str],
    manifest: str,
    matrices: str,
    gender: str,
    scoring_files: Sequence[str],
    config: Mapping,
) -> None:
    """Read embeddings of both kinds of speech, write the three matrices of one gender.

    Parameters
    ----------
    original, anonymized
        Embeddings of original and of anonymized speech, part by part.
    manifest
        The dataset.
    matrices
        File to write.
    gender
        Whose trial utterances are compared.
    scoring_files
        Files that the method of scoring needs.
    config
        Key `scoring` of an entry of config/asv.
    """
    utterances = read_manifests([manifest])
    trials = utterances[utterances["subset"] == TRIALS_OF[gender]]
    try:
        found = similarity_matrices(
            trials,
            load_embeddings(original),
            load_embeddings(anonymized),
            load_scorer(config, scoring_files),
        )
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
            scoring_files=snakemake.input.scoring_files,
            config=snakemake.params.config,
        )
