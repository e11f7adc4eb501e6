"""Content without a recogniser: log-mel features, with all they tell of the voice."""

from collections.abc import Mapping

import numpy as np

from scripts.lib.frames import level, log_mel


class Extractor:
    """Nothing is trained.

    Parameters
    ----------
    state
        None.
    config
        Entry of config/content.
    """

    def __init__(self, state: None, config: Mapping) -> None:
        self.config = config

    def features(self, samples: np.ndarray) -> np.ndarray:
        """Return log-mel features of levelled speech, float32 of shape (T, 80)."""
        return log_mel(level(samples))
