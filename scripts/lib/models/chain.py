"""Content, pitch and a voice become speech: an acoustic model and a vocoder, or one for both."""

import importlib
from collections.abc import Mapping, Sequence

import numpy as np

from scripts.lib.models.training import load_state
from scripts.lib.voice_table import Voice

PEAK = 0.99


class Speaker:
    """The speaking half of a chain.

    Parameters
    ----------
    config
        The entries `system`, `acoustic` and `vocoder`; no vocoder for a joint model.
    acoustic, vocoder
        Files of the trained models; none where nothing is trained.
    """

    def __init__(self, config: Mapping, acoustic: Sequence[str], vocoder: Sequence[str]):
        self._route = config["system"]["params"]["route"]
        self._acoustic = _load(config["acoustic"], "Synthesizer", acoustic)
        self._vocoder = None
        if config["vocoder"]:
            self._vocoder = _load(config["vocoder"], "Vocoder", vocoder)

    def speak(
        self, content: np.ndarray, f0: np.ndarray, voice: Voice, rng: np.random.Generator
    ) -> np.ndarray:
        """Return speech at 16 kHz, float32 of 160 samples per frame, with peaks up to 0.99.

        Parameters
        ----------
        content
            Content features, shape (frames, dim).
        f0
            Pitch in Hz, 0 where unvoiced, shape (frames,).
        voice
            The vectors of pseudo-voice and speaker.
        rng
            Generator of the noise.
        """
        if len(content) != len(f0):
            raise ValueError(f"{len(content)} frames of content, but {len(f0)} of pitch")
        vector = voice.routed(self._route["acoustic"])
        if self._vocoder is None:
            samples = self._acoustic.wave(content, f0, vector, rng)
        else:
            mel = self._acoustic.mel(content, f0, vector)
            samples = self._vocoder.wave(mel, f0, voice.routed(self._route["vocoder"]), rng)
        return limited(samples)


def limited(samples: np.ndarray) -> np.ndarray:
    """Return samples scaled so that no peak is above 0.99, or as they are.

    Examples
    --------
    >>> limited(np.array([0.5, -2.0])).tolist()
    [0.2475, -0.99]
    """
    peak = np.abs(samples).max(initial=0.0)
    return samples * (PEAK / peak) if peak > PEAK else samples


def _load(entry: Mapping, kind: str, files: Sequence[str]) -> object:
    """Return a part of the chain; its backend is imported by name, as the rule's inputs are."""
    backend = importlib.import_module(f"scripts.lib.models.{entry['backend']}")
    return getattr(backend, kind)(load_state(files[0]) if files else None, entry)
