"""The speaker's own vector, for copy synthesis."""

from collections.abc import Mapping

import numpy as np

from scripts.lib.voices.vectors import Pool, PseudoVector, Source


class Step:
    """Gives back what it gets."""

    def __init__(self, settings: Mapping):
        pass

    def fit(self, pool: Pool, earlier: object) -> None:
        """Learn nothing."""

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return the vector itself."""
        return PseudoVector(source.vector, source.gender)
