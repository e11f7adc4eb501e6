"""The reference: speech as it is."""

from collections.abc import Mapping
from typing import Any

import numpy as np


def draw(rng: Any, params: Mapping) -> dict:
    """Return the one voice there is: the speaker's own."""
    return {}


def process(samples: np.ndarray, voice: Mapping, params: Mapping) -> np.ndarray:
    """Return the samples unchanged."""
    return samples
