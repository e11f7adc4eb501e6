"""Track pitch by normalised cross-correlation: how alike speech is to itself a period later.

The best local maxima of each frame and "unvoiced" are candidates; the cheapest path through them
is the contour.
"""

from collections.abc import Mapping

import numpy as np

from scripts.lib.audio import RATE_HZ
from scripts.lib.frames import HOP, trim
from scripts.lib.systems.pitch import cheapest_path

WINDOW = 640
CANDIDATES = 7
# Twice a period is a period too: longer ones pay for each octave.
OCTAVE_COST = 0.02
UNVOICED, SILENT = 0.45, 2.0
SILENCE_DB = 40.0
JUMP_COST, VOICING_COST = 0.5, 0.07
# The window and its copy a period later shall lie around the frame's centre; they do exactly at
# 125 Hz, and within 4.5 ms from 60 to 500 Hz.
MIDDLE_LAG = 128


def track(samples: np.ndarray, config: Mapping) -> np.ndarray:
    """Return pitch in Hz, float32 of shape (T,), exactly 0 where speech is not voiced.

    Parameters
    ----------
    samples
        Speech at 16 kHz.
    config
        `low_hz`, `high_hz`: the range of pitch.

    Examples
    --------
    >>> pulses = np.zeros(8000)
    >>> pulses[::100] = 1.0
    >>> contour = track(pulses, {"low_hz": 60, "high_hz": 500})
    >>> len(contour), round(float(np.median(contour)))
    (50, 160)
    """
    samples = np.asarray(trim(samples), dtype=np.float64)
    low, high = int(RATE_HZ / config["high_hz"]), -int(-RATE_HZ // config["low_hz"])
    # One lag more to each side: a maximum has two neighbours.
    pieces = _pieces(samples, WINDOW + high + 1)
    loudness = np.mean(pieces[:, :WINDOW] ** 2, axis=1)
    lag, strength = _candidates(_correlation(pieces, low - 1, high + 1), low - 1)
    silent = loudness <= loudness.max() * 10 ** (-SILENCE_DB / 10)
    hertz = np.column_stack([np.zeros(len(pieces)), RATE_HZ / lag])
    strength = np.column_stack([np.where(silent, SILENT, UNVOICED), strength])
    contour = cheapest_path(hertz, strength, jump=JUMP_COST, change=VOICING_COST)
    return contour.astype(np.float32)


def _pieces(samples: np.ndarray, width: int) -> np.ndarray:
    """Return the stretch of speech behind each frame, without its mean, shape (T, width)."""
    before = (WINDOW + MIDDLE_LAG) // 2 - HOP // 2
    padded = np.pad(samples, (before, width))
    pieces = np.lib.stride_tricks.sliding_window_view(padded, width)[::HOP]
    pieces = pieces[: len(samples) // HOP]
    return pieces - pieces.mean(axis=1, keepdims=True)


def _correlation(pieces: np.ndarray, low: int, high: int) -> np.ndarray:
    """Return the correlation of the window with itself `low` … `high` samples later, in [-1, 1]."""
    size = 1 << (pieces.shape[1] - 1).bit_length()
    window = np.fft.rfft(pieces[:, :WINDOW], size)
    products = np.fft.irfft(window.conj() * np.fft.rfft(pieces, size), size)[:, low : high + 1]
    sums = np.cumsum(np.pad(pieces**2, ((0, 0), (1, 0))), axis=1)
    energies = sums[:, WINDOW:] - sums[:, :-WINDOW]
    both = np.maximum(energies[:, :1], 0.0) * np.maximum(energies[:, low : high + 1], 0.0)
    # Where nothing sounds nothing is alike.
    return np.where(both > 0.0, products / np.sqrt(np.where(both > 0.0, both, 1.0)), 0.0)


def _candidates(correlation: np.ndarray, first: int) -> tuple[np.ndarray, np.ndarray]:
    """Return lags in samples and strengths of the best maxima, both (T, CANDIDATES)."""
    before, here, after = correlation[:, :-2], correlation[:, 1:-1], correlation[:, 2:]
    is_peak = (here > before) & (here >= after)
    curvature = np.where(is_peak, before - 2.0 * here + after, -1.0)
    shift = np.where(is_peak, 0.5 * (before - after) / curvature, 0.0)
    height = here - 0.25 * (before - after) * shift
    lag = np.arange(first + 1, first + 1 + here.shape[1]) + shift
    strength = np.where(is_peak, height - OCTAVE_COST * np.log2(lag / (first + 1)), -np.inf)
    best = np.argsort(-strength, axis=1, kind="stable")[:, :CANDIDATES]
    return np.take_along_axis(lag, best, axis=1), np.take_along_axis(strength, best, axis=1)
