"""Vocoder that filters harmonics and noise frame by frame, its gains corrected by a network.

Without the corrections it is the analytic vocoder: log-mel to minimum-phase filters. The network's
last layer starts at zero, so training starts there. All learning happens at 100 frames per second.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from scripts.lib.excitation import harmonic_source
from scripts.lib.frames import BANDS, HOP, RATE_HZ, WINDOW, hann, mel_filters
from scripts.lib.models.spectral_loss import stft_loss
from scripts.lib.models.speech_frames import pitch_inputs
from scripts.lib.models.wave_training import Batch, Conditions, Voice, WaveTraining

FFT, FRAME = 1024, 640
# Frames at a hop of a quarter of a Hann window add up to two.
OVERLAP = 2.0
# A filtered frame reaches into this many hops.
REACH = -(-FFT // HOP)
MARGIN = (FRAME - HOP) // 2
# The first and last frames of a crop lack neighbours to overlap with.
EDGE = 2 * HOP
# Voiced speech is harmonic below and noisy above.
CROSSOVER_HZ, CROSSOVER_WIDTH_HZ = 4000.0, 800.0


class SourceFilter(nn.Module):
    """Log-mel, pitch and the two sources to a waveform.

    Parameters
    ----------
    config
        Entry of config/vocoder.
    sizes
        Dimensions of a `frame` and of a `vector`, which may be 0.
    """

    def __init__(self, config: Mapping, sizes: Mapping[str, int]):
        super().__init__()
        channels, kernel = config["channels"], config["kernel"]
        self.conditions = Conditions(sizes)
        self.entry = nn.Conv1d(sum(sizes.values()) + 2, channels, 3, padding=1)
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.Conv1d(channels, channels, kernel, padding="same"),
                nn.BatchNorm1d(channels),
                nn.GELU(),
            )
            for _ in range(config["layers"])
        )
        self.output = nn.Conv1d(channels, 2 * BANDS, 3, padding=1)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)
        for name, constant in _constants().items():
            self.register_buffer(name, torch.from_numpy(constant).float(), persistent=False)

    def forward(
        self,
        mel: torch.Tensor,
        f0: torch.Tensor,
        vectors: torch.Tensor,
        harmonic: torch.Tensor,
        noise: torch.Tensor,
    ) -> torch.Tensor:
        """Return waveforms of shape (batch, 160 frames).

        Parameters
        ----------
        mel, f0, vectors
            Shapes (batch, frames, 80), (batch, frames) and (batch, dim).
        harmonic, noise
            Sources of unit power density, shape (batch, 160 frames).
        """
        corrections = self.corrections(mel, f0, vectors)
        voiced = (f0 > 0).float()[:, :, None]
        base = mel - self.noise_level
        spectrum = _spectra(harmonic, self.window) * voiced * self._filters(
            base + self.harmonic_share + corrections[:, :, :BANDS]
        ) + _spectra(noise, self.window) * self._filters(
            base + voiced * self.noise_share + corrections[:, :, BANDS:]
        )
        return _overlap_add(torch.fft.irfft(spectrum, FFT)) / OVERLAP

    def corrections(
        self, mel: torch.Tensor, f0: torch.Tensor, vectors: torch.Tensor
    ) -> torch.Tensor:
        """Return what is added to the log gains of both sources, of shape (batch, frames, 160)."""
        inputs = torch.cat([self.conditions(mel, vectors), pitch_inputs(f0)], dim=2)
        hidden = self.entry(inputs.transpose(1, 2))
        for layer in self.layers:
            hidden = hidden + layer(hidden)
        return self.output(hidden).transpose(1, 2)

    def _filters(self, gains: torch.Tensor) -> torch.Tensor:
        """Return minimum-phase transfer functions with some log gains at the bands' centres."""
        return torch.polar((gains @ self.log_magnitude).exp(), gains @ self.phase)


def draw_sources(f0: torch.Tensor, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Return harmonics and white noise for contours of shape (batch, frames)."""
    contours = f0.cpu().numpy()
    starts = rng.uniform(0.0, 1.0, len(contours))
    harmonic = np.stack([harmonic_source(*pair) for pair in zip(contours, starts, strict=True)])
    noise = rng.standard_normal(harmonic.shape, dtype=np.float32)
    return torch.from_numpy(harmonic).float().to(f0.device), torch.from_numpy(noise).to(f0.device)


class Training(WaveTraining):
    """One training run of a vocoder: the spectral loss of crops without their edges."""

    network_class, frames_are = SourceFilter, "mel"
    draw_sources = staticmethod(draw_sources)

    def loss(self, batch: Batch) -> torch.Tensor:
        """Return the loss of a batch."""
        waves, real = self.speak(batch), batch[0].samples
        return stft_loss(waves[:, EDGE:-EDGE], real[:, EDGE:-EDGE])


class Vocoder(Voice):
    """A trained vocoder, or without a state the analytic one."""

    network_class = SourceFilter
    draw_sources = staticmethod(draw_sources)

    def __init__(self, state: Mapping[str, Any] | None, config: Mapping):
        if state is None:
            sizes = {"frame": BANDS, "vector": 0}
            state = {"sizes": sizes, "weights": SourceFilter(config, sizes).state_dict()}
        super().__init__(state, config)


def _spectra(source: torch.Tensor, window: torch.Tensor) -> torch.Tensor:
    """Return the spectra of windowed frames, frame t centred on sample 160 t + 80."""
    padded = nn.functional.pad(source, (MARGIN, MARGIN))
    return torch.fft.rfft(padded.unfold(1, FRAME, HOP) * window, FFT)


def _overlap_add(frames: torch.Tensor) -> torch.Tensor:
    """Add up filtered frames of shape (batch, frames, 1024) to (batch, 160 frames) samples."""
    batch, count, _ = frames.shape
    pieces = nn.functional.pad(frames, (0, REACH * HOP - FFT)).view(batch, count, REACH, HOP)
    total = sum(
        nn.functional.pad(pieces[:, :, part], (0, 0, part, REACH - 1 - part))
        for part in range(REACH)
    )
    return total.reshape(batch, -1)[:, MARGIN : MARGIN + HOP * count]


def _constants() -> dict[str, np.ndarray]:
    """Return what turns log gains of bands into filters; both steps are linear."""
    filters = mel_filters()
    hertz = np.fft.rfftfreq(FFT, 1 / RATE_HZ)
    centres = filters @ hertz / filters.sum(axis=1)
    log_magnitude = np.stack([np.interp(hertz, centres, unit) for unit in np.eye(BANDS)])
    # The folded cepstrum of a log magnitude is that of the minimum-phase filter.
    cepstra = np.fft.irfft(log_magnitude, FFT)
    cepstra[:, 1 : FFT // 2] *= 2
    cepstra[:, FFT // 2 + 1 :] = 0
    share = 1 / (1 + np.exp((centres - CROSSOVER_HZ) / CROSSOVER_WIDTH_HZ))
    return {
        "window": hann(FRAME),
        "log_magnitude": log_magnitude,
        "phase": np.fft.rfft(cepstra).imag,
        # The log-mel of unit white noise.
        "noise_level": 0.5 * np.log(filters.sum(axis=1) * np.square(hann(WINDOW)).sum()),
        # The powers of both sources add up to that of the spectrum.
        "harmonic_share": 0.5 * np.log(share),
        "noise_share": 0.5 * np.log(1 - share),
    }
