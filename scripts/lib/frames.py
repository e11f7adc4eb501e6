"""The frame grid that every part of an anonymization chain shares, and its log-mel features.

A waveform of N samples has T = ⌊N / 160⌋ frames; what is left over is cut off. Frame t is centred
on sample 160 t + 80 for mel, pitch, content and synthesis alike.
"""

from functools import cache

import numpy as np

from scripts.lib.audio import RATE_HZ

HOP = 160
BANDS = 80
WINDOW = 400
FFT_SIZE = 1024
# Band powers below this are silence: log amplitudes never fall below ½ ln 1e-8 = -9.21.
FLOOR = 1e-8
LEVEL_DB = -26.0
# Frames this far below the loudest one do not count as speech.
ACTIVE_DB = 40.0


def frame_count(samples: np.ndarray) -> int:
    """Return how many whole frames a waveform has.

    Examples
    --------
    >>> frame_count(np.zeros(1599))
    9
    """
    return len(samples) // HOP


def trim(samples: np.ndarray) -> np.ndarray:
    """Return the whole frames of a waveform, shape (160 T,); without one it is an error."""
    frames = frame_count(samples)
    if not frames:
        raise ValueError(f"{len(samples)} samples are less than a frame of {HOP}")
    return samples[: frames * HOP]


def level(samples: np.ndarray) -> np.ndarray:
    """Return whole frames whose active ones have a root mean square of -26 dB of full scale.

    Nothing is clipped: peaks are limited where audio is written. Digital silence stays as it is.

    Parameters
    ----------
    samples
        Speech at 16 kHz, shape (n,).

    Examples
    --------
    >>> tone = np.sin(np.arange(3200) / 10).astype(np.float32)
    >>> loud = level(tone)
    >>> round(float(20 * np.log10(np.sqrt(np.mean(loud**2)))), 2)
    -26.0
    """
    samples = trim(samples)
    powers = np.mean(np.square(samples.reshape(-1, HOP), dtype=np.float64), axis=1)
    if not powers.max():
        return samples.astype(np.float32)
    active = powers[powers >= powers.max() * 10 ** (-ACTIVE_DB / 10)]
    gain = np.sqrt(10 ** (LEVEL_DB / 10) / active.mean())
    return (samples * gain).astype(np.float32)


def log_mel(samples: np.ndarray) -> np.ndarray:
    """Return log amplitudes of mel bands, ½ ln max(power, 1e-8), float32 of shape (T, 80).

    A Hann window of 400 samples (periodic), an FFT of 1024, and reflection at both ends.

    Parameters
    ----------
    samples
        Speech at 16 kHz, levelled by `level` wherever chains are trained or used.

    Examples
    --------
    >>> log_mel(np.zeros(16099, dtype=np.float32)).shape
    (100, 80)
    """
    margin = (WINDOW - HOP) // 2
    padded = np.pad(np.asarray(trim(samples), dtype=np.float64), margin, mode="reflect")
    pieces = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP]
    power = np.abs(np.fft.rfft(pieces * hann(WINDOW), FFT_SIZE)) ** 2
    return (0.5 * np.log(np.maximum(power @ mel_filters().T, FLOOR))).astype(np.float32)


def hann(width: int) -> np.ndarray:
    """Return a periodic Hann window: shifted by half its width, it adds up to 1."""
    return 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(width) / width)


@cache
def mel_filters(
    bands: int = BANDS, fft_size: int = FFT_SIZE, low_hz: float = 0.0, high_hz: float = RATE_HZ / 2
) -> np.ndarray:
    """Return triangles of peak 1 and equal width on the mel scale, shape (bands, fft_size / 2 + 1).

    Examples
    --------
    >>> mel_filters().shape
    (80, 513)
    """
    low, high = (1127.0 * np.log1p(hz / 700.0) for hz in (low_hz, high_hz))
    edges = 700.0 * np.expm1(np.linspace(low, high, bands + 2) / 1127.0)
    hertz = np.fft.rfftfreq(fft_size, 1.0 / RATE_HZ)
    left, centre, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
    rising, falling = (hertz - left) / (centre - left), (right - hertz) / (right - centre)
    filters = np.maximum(0.0, np.minimum(rising, falling))
    filters.setflags(write=False)
    return filters
