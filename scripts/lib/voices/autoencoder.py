"""The vector rebuilt by a network that was made to forget whose it is (systems.md 4.13)."""

from collections.abc import Mapping

import numpy as np

from scripts.lib.layers import read_layers, rebuild
from scripts.lib.voices.vectors import Pool, PseudoVector, Source


class Step:
    """Send a vector through the network.

    Parameters
    ----------
    settings
        `layers`: the file of the network.
    """

    def __init__(self, settings: Mapping):
        self._path = settings["layers"]
        self._layers = read_layers(self._path)

    def fit(self, pool: Pool, earlier: object) -> None:
        """Learn nothing of the pool, but refuse one of other vectors."""
        dim = self._layers[0][0].shape[1]
        if pool.vectors.shape[1] != dim:
            raise ValueError(
                f"{self._path}: a network of {dim} dimensions, but the pool's vectors have "
                f"{pool.vectors.shape[1]}; both have to come from the same model"
            )

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return the rebuilt vector."""
        return PseudoVector(rebuild(source.vector[None], self._layers)[0], source.gender)
