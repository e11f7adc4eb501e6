"""Steps that change a speaker's vector: one class `Step` per module.

`Step(settings)` is built from the settings of the system's entry, `fit(pool, earlier)` learns once
from the pool and the steps before, and `apply(source, rng)` gives the vector of a pseudo-voice.
"""

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scripts.lib.voices.vectors import Pool, PseudoVector, Source


class Steps:
    """Steps in their order, each on what the one before gave.

    Parameters
    ----------
    settings
        The steps of a system: `step` names the module, the rest are its settings.
    pool
        Who lends voices.
    """

    def __init__(self, settings: Sequence[Mapping], pool: Pool):
        self._steps: list = []
        for entry in settings:
            step = _load(entry)
            step.fit(pool, self)
            self._steps.append(step)

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return the vector that the last step gives."""
        voice = PseudoVector(source.vector, source.gender)
        for step in self._steps:
            found = step.apply(source, rng)
            # A step without donors of its own reshapes the voice that others lent.
            voice = found if found.donors else replace(found, donors=voice.donors)
            source = replace(
                source,
                vector=voice.vector,
                gender=voice.gender,
                utterances=voice.vector[None],
            )
        return voice


def _load(settings: Mapping) -> object:
    module = importlib.import_module(f"scripts.lib.voices.{settings['step']}")
    return module.Step({key: value for key, value in settings.items() if key != "step"})
