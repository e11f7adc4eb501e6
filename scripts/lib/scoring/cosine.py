"""Score by the cosine of the mean enrolment embedding and the trial embedding."""

from collections.abc import Mapping, Sequence

import numpy as np


class Scorer:
    """The cosine, in [-1, 1]; a speaker is the mean of embeddings, raw or of length one.

    Parameters
    ----------
    config
        Key `scoring` of an entry of config/asv.
    files
        None are needed.

    Examples
    --------
    >>> scorer = Scorer({"method": "cosine", "unit_enrolment": False}, [])
    >>> speaker = scorer.enrol([np.array([[2.0, 0.0], [0.0, 2.0]])])
    >>> scorer.score(speaker, scorer.probe(np.array([[5.0, 5.0], [-5.0, -5.0]]))).round(12).tolist()
    [[1.0, -1.0]]
    """

    def __init__(self, config: Mapping, files: Sequence[str]):
        if files:
            raise ValueError(f"the cosine needs no files, but was given {', '.join(files)}")
        self.unit_enrolment = config["unit_enrolment"]

    def enrol(self, speakers: Sequence[np.ndarray]) -> np.ndarray:
        """Return the mean of each speaker's embeddings, scaled to length one."""
        matrices = [np.asarray(vectors, dtype=np.float64) for vectors in speakers]
        if self.unit_enrolment:
            matrices = [_unit_rows(matrix) for matrix in matrices]
        means = [matrix.mean(axis=0) for matrix in matrices]
        return _unit_rows(np.stack(means))

    def probe(self, vectors: np.ndarray) -> np.ndarray:
        """Return embeddings scaled to length one."""
        return _unit_rows(np.asarray(vectors, dtype=np.float64))

    def score(self, enrolled: np.ndarray, probes: np.ndarray) -> np.ndarray:
        """Return the cosine of every pair of rows."""
        return enrolled @ probes.T


def _unit_rows(matrix: np.ndarray) -> np.ndarray:
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
