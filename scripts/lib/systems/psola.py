"""Change pitch, tempo and spectrum of speech by pitch-synchronous overlap-add (PSOLA).

Speech is cut at pitch marks into grains of two periods. Grains laid out on another grid change the
pitch or the tempo; a frequency map applied to the spectrum of every grain moves the formants.
Windows follow the marks and add up to one, so that no change at all gives the input back.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from scripts.lib.systems.pitch import STEP_S

UNVOICED_SPACING = 128
"""Samples between marks where there is no pitch: 8 ms."""

GRAIN_SIZE = 1024
"""Samples of a spectrum: more than two of the longest periods, stretched by a half."""

CHUNK_GRAINS = 512
SEARCH = 0.15
"""Part of a period by which the next mark may miss the place that the contour predicts."""


def place_marks(
    samples: np.ndarray, contour: np.ndarray, rate_hz: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return sample positions of pitch marks and whether each lies in voiced speech.

    The first mark is the first sample, the last mark the last one. Voiced marks stand one period
    apart at the same place of the glottal cycle, the others about 8 ms apart.

    Examples
    --------
    >>> pulses = np.zeros(1600)
    >>> pulses[50::100] = 1.0
    >>> marks, voiced = place_marks(pulses, np.full(11, 160.0), 16000)
    >>> marks[voiced][:4].tolist()
    [50, 150, 250, 350]
    """
    step = round(STEP_S * rate_hz)
    periods = np.divide(rate_hz, contour, out=np.full(len(contour), np.inf), where=contour > 0.0)
    anchors: list[np.ndarray] = [np.array([0])]
    for first, last in _runs(contour > 0.0):
        low, high = max(0, first * step - step // 2), min(len(samples), last * step + step // 2)
        if high - low > 2 * periods[first]:
            anchors.append(_voiced_marks(samples, periods, low, high, step))
    anchors.append(np.array([len(samples) - 1]))
    return _fill(anchors)


def resynthesise(
    samples: np.ndarray,
    marks: np.ndarray,
    voiced: np.ndarray,
    *,
    pitch_factor: float,
    duration_factor: float,
    reshape: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """Lay the grains of speech out anew.

    Parameters
    ----------
    samples
        Waveform of shape (n,).
    marks, voiced
        The result of `place_marks`.
    pitch_factor
        Factor of the fundamental frequency.
    duration_factor
        Factor of the duration.
    reshape
        Maps the spectra of grains, complex of shape (grains, 513), to new ones.

    Returns
    -------
    np.ndarray
        Waveform of ⌊n · duration_factor⌉ samples.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(size=1000)
    >>> marks, voiced = place_marks(noise, np.zeros(7), 16000)
    >>> same = resynthesise(
    ...     noise, marks, voiced, pitch_factor=1.0, duration_factor=1.0, reshape=lambda s: s
    ... )
    >>> bool(np.allclose(same, noise))
    True
    """
    length = round(len(samples) * duration_factor)
    sources, targets = _lay_out(marks, voiced, pitch_factor, duration_factor, length)
    half = GRAIN_SIZE // 2
    padded = np.pad(samples, half)
    result = np.zeros(length + 2 * half)
    for start in range(0, len(sources), CHUNK_GRAINS):
        grains = _cut(padded, marks, sources[start : start + CHUNK_GRAINS])
        grains = np.fft.irfft(reshape(np.fft.rfft(grains)))
        grains = np.fft.fftshift(grains, axes=1)
        for place, grain in zip(targets[start : start + CHUNK_GRAINS], grains, strict=True):
            result[place : place + GRAIN_SIZE] += grain
    return result[half : half + length]


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """Return first and last index of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return [(first, last - 1) for first, last in edges.reshape(-1, 2).tolist()]


def _voiced_marks(
    samples: np.ndarray, periods: np.ndarray, low: int, high: int, step: int
) -> np.ndarray:
    """Follow the glottal cycle both ways from the loudest sample of a voiced stretch."""

    def follow(direction: int) -> list[int]:
        found, place = [], start
        while True:
            period = periods[min(len(periods) - 1, round(place / step))]
            if not np.isfinite(period):
                return found
            place = _most_alike(samples, place, round(period), direction)
            if not low <= place < high:
                return found
            found.append(place)

    start = low + int(np.argmax(np.abs(samples[low:high])))
    return np.array([*follow(-1)[::-1], start, *follow(1)])


def _most_alike(samples: np.ndarray, place: int, period: int, direction: int) -> int:
    """Return the place near one period further on that looks most like `place`."""
    reach, half = max(1, round(SEARCH * period)), period // 2
    centre = place + direction * period
    low, high = centre - half - reach, centre + half + reach + 1
    if min(low, place - half) < 0 or max(high, place + half + 1) > len(samples):
        return centre
    pattern = samples[place - half : place + half + 1]
    scores = np.correlate(samples[low:high], pattern, mode="valid")
    return centre - reach + int(np.argmax(scores))


def _fill(anchors: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Put evenly spaced unvoiced marks between the voiced stretches."""
    marks, voiced = [anchors[0]], [np.zeros(1, dtype=bool)]
    for before, after in pairwise(anchors):
        gap = after[0] - before[-1]
        count = max(1, round(gap / UNVOICED_SPACING))
        between = before[-1] + (np.arange(1, count) * gap) // count
        marks += [between, after]
        voiced += [np.zeros(len(between), dtype=bool), np.ones(len(after), dtype=bool)]
    voiced[-1][:] = False
    positions, kept = np.unique(np.concatenate(marks), return_index=True)
    return positions, np.concatenate(voiced)[kept]


def _lay_out(
    marks: np.ndarray,
    voiced: np.ndarray,
    pitch_factor: float,
    duration_factor: float,
    length: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return for every output grain the index of its source mark and its place."""
    spacing = np.diff(marks, append=marks[-1] + UNVOICED_SPACING).astype(float)
    # A jump to the next stretch is no period.
    is_period = voiced & np.append(voiced[1:], False)
    spacing[is_period] /= pitch_factor
    borders = (marks[1:] + marks[:-1]) / 2.0
    sources, targets = [], []
    place = 0.0
    while place < length:
        source = int(np.searchsorted(borders, place / duration_factor))
        sources.append(source)
        targets.append(round(place))
        place += spacing[source]
    return np.array(sources), np.array(targets)


def _cut(padded: np.ndarray, marks: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Return windowed grains of shape (grains, GRAIN_SIZE), the mark at index 0, wrapped around."""
    half = GRAIN_SIZE // 2
    offset = np.arange(-half, half)
    centre = marks[sources]
    before = centre - marks[np.maximum(sources - 1, 0)]
    after = marks[np.minimum(sources + 1, len(marks) - 1)] - centre
    width = np.where(offset < 0, before[:, None], after[:, None])
    position = np.minimum(np.abs(offset) / np.maximum(width, 1), 1.0)
    window = 0.5 + 0.5 * np.cos(np.pi * position)
    grains = padded[centre[:, None] + half + offset] * window
    return np.fft.ifftshift(grains, axes=1)
