"""Score by the log-likelihood ratio of two-covariance PLDA (vpc2020 section 5.4)."""

from collections.abc import Mapping, Sequence

import numpy as np

from scripts.lib.plda import Plda, enrolment_rows, probe_rows


class Scorer:
    """Natural-log likelihood ratios; a speaker is the mean of n raw embeddings, and n counts.

    Parameters
    ----------
    config
        Key `scoring` of an entry of config/asv.
    files
        The parameters that `fit_plda` wrote for the model.
    """

    def __init__(self, config: Mapping, files: Sequence[str]):
        (path,) = files
        self.plda = Plda.load(path)

    def enrol(self, speakers: Sequence[np.ndarray]) -> np.ndarray:
        """Return what is expected of each speaker's next utterance."""
        means = [np.mean(np.asarray(vectors, dtype=np.float64), axis=0) for vectors in speakers]
        counts = np.array([len(vectors) for vectors in speakers])
        mapped = self.plda.project(np.stack(means), counts)
        return enrolment_rows(mapped, self.plda.psi, counts)

    def probe(self, vectors: np.ndarray) -> np.ndarray:
        """Return single utterances."""
        return probe_rows(self.plda.project(vectors, 1))

    def score(self, enrolled: np.ndarray, probes: np.ndarray) -> np.ndarray:
        """Return the log-likelihood ratio of every pair of rows."""
        return enrolled @ probes.T
