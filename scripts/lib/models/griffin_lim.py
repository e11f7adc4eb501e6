"""Waveforms from log-mel alone, by finding phases that agree (Griffin and Lim, 1984).

Nothing is trained, and neither pitch nor vector is heard.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from scripts.lib.frames import FFT_SIZE, HOP, WINDOW, hann, mel_filters

# Large enough for the window; half the size of the log-mel's own transform.
FFT = 512
MARGIN = (WINDOW - HOP) // 2
# Each step goes a little further than the last one (Perraudin et al., WASPAA 2013).
MOMENTUM = 0.99


class Vocoder:
    """A vocoder that needs no training.

    Parameters
    ----------
    state
        None.
    config
        Entry of config/vocoder: `iterations`.
    """

    def __init__(self, state: Mapping[str, Any] | None, config: Mapping):
        self.iterations = config["iterations"]
        self._window = torch.from_numpy(hann(WINDOW)).float()
        # Every other bin of the finer transform behind a log-mel is one of ours.
        self._inverse = np.linalg.pinv(mel_filters())[:: FFT_SIZE // FFT]

    @torch.inference_mode()
    def wave(
        self, mel: np.ndarray, f0: np.ndarray, vector: np.ndarray | None, rng: np.random.Generator
    ) -> np.ndarray:
        """Return speech of shape (160 frames,), float32.

        Parameters
        ----------
        mel
            Shape (frames, 80).
        f0, vector
            Not heard.
        rng
            Generator of the first phases.
        """
        magnitude = torch.from_numpy(self.magnitudes(mel)).float()
        angles = rng.uniform(-np.pi, np.pi, magnitude.shape)
        spectrum = torch.polar(magnitude, torch.from_numpy(angles).float())
        last = torch.zeros_like(spectrum)
        for _ in range(self.iterations):
            agreed = self._analyse(self._synthesise(spectrum))
            ahead = agreed + MOMENTUM * (agreed - last)
            spectrum = magnitude * ahead / ahead.abs().clamp_min(1e-8)
            last = agreed
        return self._synthesise(spectrum).numpy()

    def magnitudes(self, mel: np.ndarray) -> np.ndarray:
        """Return the magnitudes of (frames, 257) bins by the pseudo-inverse of the mel filters."""
        power = np.exp(2 * np.asarray(mel, dtype=np.float64))
        return np.sqrt(np.maximum(power @ self._inverse.T, 0.0))

    def _analyse(self, wave: torch.Tensor) -> torch.Tensor:
        padded = torch.nn.functional.pad(wave, (MARGIN, MARGIN))
        return torch.fft.rfft(padded.unfold(0, WINDOW, HOP) * self._window, FFT)

    def _synthesise(self, spectrum: torch.Tensor) -> torch.Tensor:
        """Return the waveform whose frames come nearest to some spectra."""
        frames = torch.fft.irfft(spectrum, FFT)[:, :WINDOW] * self._window
        pairs = (frames, (self._window**2).expand(len(frames), -1))
        total, weight = (_overlap_add(part) for part in pairs)
        return (total / weight.clamp_min(1e-3))[MARGIN : MARGIN + HOP * len(frames)]


def _overlap_add(frames: torch.Tensor) -> torch.Tensor:
    """Add up frames of shape (frames, 400), one each 160 samples."""
    reach = -(-WINDOW // HOP)
    padded = torch.nn.functional.pad(frames, (0, reach * HOP - WINDOW)).view(-1, reach, HOP)
    pieces = [
        torch.nn.functional.pad(padded[:, part], (0, 0, part, reach - 1 - part))
        for part in range(reach)
    ]
    return sum(pieces).flatten()
