"""Resemblyzer's speaker encoder, which others trained on thousands of voices.

Its weights lie inside the package, so nothing is trained or downloaded.
"""

import logging

import numpy as np

try:
    from resemblyzer import VoiceEncoder, preprocess_wav
except ImportError as error:
    raise ImportError(
        "Resemblyzer is not installed; install envs/pretrained.lock.txt "
        "(make fast-test does), or leave the asv entry out of the study"
    ) from error

from scripts.lib.models.training import device

logger = logging.getLogger(__name__)


class Embedder:
    """The encoder with its own preparation: level, pauses cut, windows of 1.6 s averaged."""

    def __init__(self) -> None:
        self.encoder = VoiceEncoder(device(), verbose=False)

    def embed(self, samples: np.ndarray) -> np.ndarray:
        """Return the embedding of a whole recording, of shape (256,) and length one."""
        if not samples.any():
            raise ValueError("nothing but zeros; an attacker cannot hear anybody")
        speech = preprocess_wav(samples)
        if len(speech) == 0:
            logger.warning("no voice found; the whole recording is embedded")
            speech = samples
        return self.encoder.embed_utterance(speech)
