"""Neural source-filter generator with harmonics, noise and sinc filters, at the sample rate.

After Wang and Yamagishi (SSW 2019): sines of the pitch and noise pass through dilated convolutions;
a low-pass and a high-pass whose cut-off moves with the speech join them.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
import torch
from torch import nn

from scripts.lib.excitation import sine_source
from scripts.lib.frames import HOP
from scripts.lib.models.speech_frames import pitch_inputs
from scripts.lib.models.wave_training import Conditions

HARMONICS, AMPLITUDE, VOICED_NOISE = 8, 0.1, 0.003
SOURCE = {"harmonics": HARMONICS, "amplitude": AMPLITUDE, "voiced_noise": VOICED_NOISE}
TAPS = 31
SMOOTHING, CUTOFF_SMOOTHING = (HOP, HOP), 4 * HOP
SQUEEZED = 16


class Context(nn.Module):
    """What is known of each frame to a context of each sample, and to the cut-off of the filters.

    Parameters
    ----------
    inputs
        Numbers per frame, without the pitch.
    channels
        Size of the context; its last number is the pitch.
    recurrent
        Size of the bidirectional layer.
    """

    def __init__(self, inputs: int, channels: int, recurrent: int):
        super().__init__()
        self.recurrent = nn.LSTM(inputs, recurrent // 2, bidirectional=True, batch_first=True)
        self.convolution = nn.Conv1d(recurrent, channels, 3, padding=1)

    def forward(self, frames: torch.Tensor, f0: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return a context of shape (batch, channels, samples) and cut-offs (batch, samples).

        A cut-off is a share of 8 kHz: 0.5 to 0.9 where voiced, 0.1 to 0.5 elsewhere.
        """
        hidden = self.convolution(self.recurrent(frames)[0].transpose(1, 2)).tanh()
        pitch = pitch_inputs(f0).transpose(1, 2)
        smooth = upsampled(hidden[:, :-1], SMOOTHING)
        # Never across voiced and unvoiced speech, which would make a chirp.
        context = torch.cat([smooth, upsampled(pitch[:, :1], ())], dim=1)
        moving = upsampled(hidden[:, -1:], (*SMOOTHING, CUTOFF_SMOOTHING))
        cutoff = 0.2 * moving + 0.4 * upsampled(pitch[:, 1:], (CUTOFF_SMOOTHING,)) + 0.3
        return context, cutoff[:, 0]


class Block(nn.Module):
    """Dilated causal convolutions that change a source little by little.

    Parameters
    ----------
    channels
        Width; that of the context, too.
    layers
        How many convolutions; the dilation doubles from each to the next.
    """

    def __init__(self, channels: int, layers: int):
        super().__init__()
        self.expand = nn.Conv1d(1, channels, 1)
        self.layers = nn.ModuleList(
            nn.Conv1d(channels, channels, 3, dilation=2**place) for place in range(layers)
        )
        self.squeeze = nn.Sequential(
            nn.Conv1d(channels, SQUEEZED, 1), nn.Tanh(), nn.Conv1d(SQUEEZED, 1, 1), nn.Tanh()
        )

    def forward(self, source: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """Map (batch, 1, samples) to the same shape."""
        hidden = self.expand(source).tanh()
        for layer in self.layers:
            padded = nn.functional.pad(hidden, (2 * layer.dilation[0], 0))
            hidden = hidden + layer(padded).tanh() + context
        return source + self.squeeze(hidden / len(self.layers))


class Nsf(nn.Module):
    """Frames, pitch, vector and sources to waveforms.

    Parameters
    ----------
    config
        `channels`, `recurrent`, `blocks`, `layers`, `noise_layers` of an entry.
    sizes
        Dimensions of a `frame` (log-mel or content) and of a `vector`, which may be 0.
    """

    def __init__(self, config: Mapping, sizes: Mapping[str, int]):
        super().__init__()
        channels = config["channels"]
        self.conditions = Conditions(sizes)
        self.context = Context(sum(sizes.values()), channels, config["recurrent"])
        self.merge = nn.Linear(HARMONICS, 1)
        self.blocks = nn.ModuleList(
            Block(channels, config["layers"]) for _ in range(config["blocks"])
        )
        self.noise_block = Block(channels, config["noise_layers"])

    def forward(
        self,
        frames: torch.Tensor,
        f0: torch.Tensor,
        vectors: torch.Tensor,
        sines: torch.Tensor,
        noise: torch.Tensor,
    ) -> torch.Tensor:
        """Return waveforms of shape (batch, samples).

        Parameters
        ----------
        frames, f0, vectors
            Shapes (batch, frames, dim), (batch, frames) and (batch, dim).
        sines, noise
            Shapes (batch, samples, harmonics) and (batch, samples).
        """
        context, cutoff = self.context(self.conditions(frames, vectors), f0)
        harmonic = self.merge(sines).tanh().transpose(1, 2)
        for block in self.blocks:
            harmonic = block(harmonic, context)
        noisy = self.noise_block(noise[:, None], context)
        low, high = sinc_filters(cutoff)
        return filtered(harmonic[:, 0], low) + filtered(noisy[:, 0], high)


def draw_sources(f0: torch.Tensor, rng: np.random.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sines and noise for contours of shape (batch, frames)."""
    sines = np.stack([sine_source(contour, rng, **SOURCE) for contour in f0.cpu().numpy()])
    noise = AMPLITUDE / 3 * rng.standard_normal(sines.shape[:2])
    return tuple(torch.from_numpy(array).float().to(f0.device) for array in (sines, noise))


def sinc_filters(cutoff: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return low-pass and high-pass filters of shape (…, 31), one pair per cut-off.

    Hamming-windowed and symmetric, so that nothing is delayed. The low-pass has a gain of one at
    0 Hz, the high-pass at 8 kHz.

    Parameters
    ----------
    cutoff
        Shares of 8 kHz, of any shape.
    """
    half = TAPS // 2
    place = torch.arange(1, half + 1, device=cutoff.device, dtype=cutoff.dtype)
    window = 0.54 + 0.46 * torch.cos(torch.pi * place / half)
    cutoff = cutoff[..., None]
    # The other half mirrors this one.
    side = torch.sin(torch.pi * cutoff * place) / (torch.pi * place) * window
    signs = 1 - 2 * (place % 2)
    low = torch.cat([side.flip(-1), cutoff, side], dim=-1)
    high = torch.cat([-side.flip(-1), 1 - cutoff, -side], dim=-1)
    gain_of_low = cutoff + 2 * side.sum(dim=-1, keepdim=True)
    gain_of_high = 1 - cutoff - 2 * (side * signs).sum(dim=-1, keepdim=True)
    return low / gain_of_low, high / gain_of_high


def filtered(signal: torch.Tensor, taps: torch.Tensor) -> torch.Tensor:
    """Return a signal of shape (batch, samples) through a filter of its own for each sample."""
    padded = nn.functional.pad(signal, (TAPS // 2, TAPS // 2))
    return (padded.unfold(1, TAPS, 1) * taps).sum(dim=-1)


def upsampled(frames: torch.Tensor, widths: Sequence[int]) -> torch.Tensor:
    """Repeat each frame 160 times, then smooth by moving averages of some widths.

    Beyond the ends the first and the last frame go on.

    Parameters
    ----------
    frames
        Shape (batch, channels, frames).
    widths
        Lengths of the averages in samples; an even one looks one sample further back than ahead.

    Returns
    -------
    torch.Tensor
        Shape (batch, channels, 160 frames).
    """
    weights = torch.from_numpy(_shares(tuple(widths))).float().to(frames.device)
    reach = len(weights) // 2
    first, last = frames[:, :, :1], frames[:, :, -1:]
    ends = first.expand(-1, -1, reach), frames, last.expand(-1, -1, reach)
    return (torch.cat(ends, dim=2).unfold(2, len(weights), 1) @ weights).flatten(2)


@cache
def _shares(widths: tuple[int, ...]) -> np.ndarray:
    """Return what each frame nearby adds to the 160 samples of one, shape (frames, 160)."""
    kernel, ahead = np.ones(HOP), 0
    for width in widths:
        kernel = np.convolve(kernel, np.full(width, 1 / width))
        ahead += width - 1 - width // 2
    reach = -(-(len(kernel) - 1) // HOP)
    shares = np.zeros((2 * reach + 1, HOP))
    for row, offset in enumerate(range(-reach, reach + 1)):
        places = np.arange(HOP) - HOP * offset + ahead
        known = (places >= 0) & (places < len(kernel))
        shares[row, known] = kernel[places[known]]
    return shares[shares.any(axis=1) | shares[::-1].any(axis=1)]
