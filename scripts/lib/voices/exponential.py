"""A speaker of the pool, drawn by the exponential mechanism: the voice of K2 (systems.md 2.12).

Pr(y | x) ∝ exp(-ε/2 d(x, y)) with d = arccos(cos(x, y)) / π, a metric of directions in [0, 1]. So
Pr(y | x) / Pr(y | x') ≤ exp(ε d(x, x')): one half from the weights, one from their sum.
"""

from collections.abc import Mapping

import numpy as np

from scripts.lib.voices.vectors import Pool, PseudoVector, Source, cosines


class Step:
    """Draw one speaker.

    Parameters
    ----------
    settings
        `epsilon`, and whether `gender` is that of the source (`same`) or `any`.
    """

    def __init__(self, settings: Mapping):
        self._settings = settings

    def fit(self, pool: Pool, earlier: object) -> None:
        """Keep the pool."""
        self._pool = pool

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return the vector of the drawn speaker."""
        places = np.arange(len(self._pool.speakers))
        if self._settings["gender"] == "same":
            places = self._pool.places(source.gender)
        weights = probabilities(
            source.vector, self._pool.vectors[places], self._settings["epsilon"]
        )
        place = int(rng.choice(places, p=weights))
        gender, donor = str(self._pool.genders[place]), self._pool.speakers[place]
        return PseudoVector(self._pool.vectors[place], gender, (donor,))


def probabilities(vector: np.ndarray, candidates: np.ndarray, epsilon: float) -> np.ndarray:
    """Return how probable each candidate is.

    Parameters
    ----------
    vector
        The source, shape (dim,).
    candidates
        Shape (candidates, dim).
    epsilon
        Privacy budget per unit of the angular distance, which lies in [0, 1].

    Examples
    --------
    >>> probabilities(np.array([1.0, 0.0]), np.array([[0.0, 1.0], [0.0, -2.0]]), 20.0).tolist()
    [0.5, 0.5]
    """
    distances = angular_distances(vector[None], candidates)[0]
    weights = np.exp(-0.5 * epsilon * (distances - distances.min()))
    return weights / weights.sum()


def angular_distances(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the angle of every pair of rows as a share of half a turn."""
    return np.arccos(cosines(one, other)) / np.pi
