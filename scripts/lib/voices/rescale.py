"""Every dimension stretched to the range that it has in the pool (systems.md 2.5).

Averaged vectors lie close together. What the earlier steps make of the pool's own speakers shows
how close, and each dimension is mapped so that those voices fill the range of the speakers.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from scripts.lib.seeding import rng_for
from scripts.lib.voices.vectors import Pool, PseudoVector, Source

if TYPE_CHECKING:
    from scripts.lib.voices import Steps


class Step:
    """Stretch each dimension in a straight line."""

    def __init__(self, settings: Mapping):
        pass

    def fit(self, pool: Pool, earlier: "Steps") -> None:
        """Compare the voices that the earlier steps give the pool's speakers with themselves."""
        voices = [
            earlier.apply(Source(vector, str(gender), vector[None]), rng_for(0, "rescale", name))
            for name, gender, vector in zip(pool.speakers, pool.genders, pool.vectors, strict=True)
        ]
        self._lines = {}
        for gender in sorted({voice.gender for voice in voices}):
            given = np.stack([voice.vector for voice in voices if voice.gender == gender])
            speakers = pool.vectors[pool.places(gender)]
            extent = np.ptp(given, axis=0)
            # A dimension in which all voices are equal has nothing to stretch.
            gain = np.ptp(speakers, axis=0) / np.where(extent > 0, extent, np.inf)
            self._lines[gender] = (_middle(given), _middle(speakers), gain)

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return the stretched vector."""
        given, wanted, gain = self._lines[source.gender]
        return PseudoVector(wanted + (source.vector - given) * gain, source.gender)


def _middle(vectors: np.ndarray) -> np.ndarray:
    return (vectors.min(axis=0) + vectors.max(axis=0)) / 2
