"""Cosines told in deviations from those of the most similar other speakers (adaptive s-norm).

A voice that resembles many others scores high with all of them. Each side of a trial is therefore
compared with a cohort of training speakers, and its score counts in standard deviations above the
mean of the `top` highest, averaged over both sides (Matějka et al., Interspeech 2017).
"""

from collections.abc import Mapping, Sequence

import numpy as np

from scripts.lib.embeddings import load_embeddings
from scripts.lib.scoring import cosine


class Scorer(cosine.Scorer):
    """The cosine, normalised by a cohort.

    Parameters
    ----------
    config
        Key `scoring` of an entry of config/asv: `top`, and the settings of the cosine.
    files
        One archive with an embedding per speaker of the cohort.
    """

    def __init__(self, config: Mapping, files: Sequence[str]):
        super().__init__(config, [])
        cohort = load_embeddings(files)
        if len(cohort) < 2:
            raise ValueError(f"{', '.join(files)}: a cohort needs at least two speakers")
        self.top = min(config["top"], len(cohort))
        self.cohort = self.probe(np.stack(list(cohort.values())))

    def score(self, enrolled: np.ndarray, probes: np.ndarray) -> np.ndarray:
        """Return the normalised cosine of every pair of rows."""
        scores = super().score(enrolled, probes)
        mean, deviation = self._rivals(enrolled)
        probe_mean, probe_deviation = self._rivals(probes)
        by_speaker = (scores - mean[:, None]) / deviation[:, None]
        return 0.5 * (by_speaker + (scores - probe_mean) / probe_deviation)

    def _rivals(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return mean and deviation of the highest scores of each row with the cohort."""
        highest = np.sort(super().score(rows, self.cohort), axis=1)[:, -self.top :]
        return highest.mean(axis=1), highest.std(axis=1)
