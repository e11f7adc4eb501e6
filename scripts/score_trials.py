"""Score speaker-verification trials by the cosine of two embeddings."""

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scripts.lib.embeddings import load_embeddings
from scripts.lib.joblog import job_log
from scripts.lib.manifest import ENROLMENT, read_manifests, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("score_trials")
Vectors = Mapping[str, np.ndarray]


def enrolment_models(utterances: pd.DataFrame, vectors: Vectors) -> dict[str, np.ndarray]:
    """Return one vector per enrolled speaker: the mean of the raw embeddings.

    Parameters
    ----------
    utterances
        Manifest with columns utterance, speaker and subset.
    vectors
        One embedding of shape (dim,) per utterance.

    Examples
    --------
    >>> rows = {"utterance": ["a", "b"], "speaker": ["s", "s"], "subset": ["enrol", "enrol"]}
    >>> vectors = {"a": np.array([2.0, 0.0]), "b": np.array([0.0, 4.0])}
    >>> enrolment_models(pd.DataFrame(rows), vectors)["s"].tolist()
    [1.0, 2.0]
    """
    enrolled = utterances[utterances["subset"] == ENROLMENT].groupby("speaker")["utterance"]
    return {
        speaker: np.mean([vectors[name].astype(np.float64) for name in names], axis=0)
        for speaker, names in enrolled
    }


def cosine_scores(trials: pd.DataFrame, enrol: Vectors, test: Vectors) -> pd.DataFrame:
    """Append a `score` column in [-1, 1] to a table of trials.

    Parameters
    ----------
    trials
        Columns `enrol` and `test` (keys of the vectors) and `target` (1 = same speaker).
    enrol, test
        One vector of shape (dim,) per key, of any length.

    Examples
    --------
    >>> trials = pd.DataFrame({"enrol": ["s1"], "test": ["u1"], "target": [1]})
    >>> v = {"s1": np.array([2.0, 0.0]), "u1": np.array([5.0, 0.0])}
    >>> float(cosine_scores(trials, v, v)["score"][0])
    1.0
    """
    rows, enrol_matrix = _unit_rows(enrol)
    columns, test_matrix = _unit_rows(test)
    scores = enrol_matrix @ test_matrix.T
    return trials.assign(score=scores[trials["enrol"].map(rows), trials["test"].map(columns)])


def _unit_rows(vectors: Vectors) -> tuple[dict[str, int], np.ndarray]:
    matrix = np.stack([np.asarray(vector, dtype=np.float64) for vector in vectors.values()])
    place = {key: number for number, key in enumerate(vectors)}
    return place, matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def main(enrol: str, test: str, manifest: str, trials: str, scores: str) -> None:
    """Read trials and embeddings, write the scored trials."""
    table = read_table(trials)
    models = enrolment_models(read_manifests([manifest]), load_embeddings(enrol))
    wanted = set(table["test"])
    tests = {key: vector for key, vector in load_embeddings(test).items() if key in wanted}
    scored = cosine_scores(table, models, tests)
    write_table(scores, scored)
    logger.info("%d trials, %d target", len(scored), scored["target"].sum())


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            enrol=snakemake.input.enrol,
            test=snakemake.input.test,
            manifest=snakemake.input.manifest,
            trials=snakemake.input.trials,
            scores=snakemake.output.scores,
        )
