"""Singular values changed: the voice of A2 (systems.md 4.4), in two readings.

`pool_basis` turns a speaker's leading coordinates in the pool's basis to the other side, with the
sizes that they have in a distant cluster. `own_utterances` is the literal reading, kept as a
control: scaling singular values of the speaker's own utterances hardly turns their mean.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from scripts.lib.voices.clusters import Clusters
from scripts.lib.voices.vectors import Pool, PseudoVector, Source


class Step:
    """Change singular values.

    Parameters
    ----------
    settings
        `mode` and, of `pool_basis`, `affinity`, `clusters`, `kept` and `energy` (shares of the
        pool's energy); of `own_utterances`, `kept` and `scale`.
    """

    def __init__(self, settings: Mapping):
        self._settings = settings

    def fit(self, pool: Pool, earlier: object) -> None:
        """Decompose the pool of each gender."""
        self._bases = {}
        if self._settings["mode"] == "pool_basis":
            for gender in sorted(set(pool.genders.tolist())):
                self._bases[gender] = self._fit_gender(pool, gender)

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return the vector rebuilt with other singular values."""
        if self._settings["mode"] == "own_utterances":
            settings = self._settings
            vector = scaled_mean(source.utterances, settings["scale"], settings["kept"])
            return PseudoVector(vector, source.gender)
        clusters, basis, factors = self._bases[source.gender]
        chosen = int(clusters.farthest(source.vector[None], source.variant)[0])
        return PseudoVector(turned(source.vector, basis, factors[chosen]), source.gender)

    def _fit_gender(self, pool: Pool, gender: str) -> tuple:
        settings = self._settings
        clusters = Clusters(pool, gender, settings["clusters"], settings["affinity"], "svd")
        vectors = pool.vectors[pool.places(gender)]
        mean = vectors.mean(axis=0)
        _, values, rows = np.linalg.svd(vectors - mean, full_matrices=False)
        basis = Basis(mean, rows[: leading(values, settings["kept"])])
        changed = rows[: leading(values, settings["energy"])]
        # Clusters are smaller than the pool, so sizes are compared per speaker.
        sizes = values[: len(changed)] / np.sqrt(len(vectors))
        factors = [
            np.sqrt((((pool.vectors[group] - mean) @ changed.T) ** 2).mean(axis=0)) / sizes
            for group in clusters.members
        ]
        return clusters, basis, factors


class Basis(NamedTuple):
    """A mean of shape (dim,) and orthonormal directions of shape (kept, dim)."""

    mean: np.ndarray
    directions: np.ndarray


def turned(vector: np.ndarray, basis: Basis, factors: np.ndarray) -> np.ndarray:
    """Return the vector with its leading coordinates times -factors; others stay as they are.

    Examples
    --------
    >>> plane = Basis(np.zeros(3), np.eye(3)[:2])
    >>> turned(np.array([1.0, 2.0, 3.0]), plane, np.array([0.5])).tolist()
    [-0.5, 2.0, 0.0]
    """
    coordinates = basis.directions @ (vector - basis.mean)
    coordinates[: len(factors)] *= -factors
    return basis.mean + coordinates @ basis.directions


def leading(values: np.ndarray, share: float) -> int:
    """Return how many leading singular values hold a share of the energy.

    Examples
    --------
    >>> [leading(np.array([2.0, 1.0, 1.0]), share) for share in (0.5, 0.8, 1.0)]
    [1, 2, 3]
    """
    energy = np.cumsum(values**2)
    # Rounding of the sum must not ask for one value more than there is.
    return min(len(values), int(np.searchsorted(energy, share * energy[-1])) + 1)


def scaled_mean(utterances: np.ndarray, scale: float, kept: float) -> np.ndarray:
    """Return the mean of utterances whose first singular value is scaled and whose last are 0.

    Parameters
    ----------
    utterances
        Shape (utterances, dim), not centred.
    scale
        Factor of the first singular value.
    kept
        Share of the energy of those that are not set to 0.
    """
    left, values, rows = np.linalg.svd(utterances.astype(np.float64), full_matrices=False)
    values[leading(values, kept) :] = 0.0
    values[0] *= scale
    return (left.mean(axis=0) * values) @ rows
