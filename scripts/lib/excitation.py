"""Sources that a vocoder filters: harmonics of a pitch contour, and noise.

A contour holds one value in Hz per frame of 160 samples, exactly 0 where unvoiced. All noise comes
from the generator that is handed in.
"""

import numpy as np

from scripts.lib.frames import HOP, RATE_HZ

# No harmonic lies above, so that none folds back at 8 kHz when the pitch moves.
HIGHEST_HZ = 7900.0


def sample_pitch(f0: np.ndarray) -> np.ndarray:
    """Return the pitch of every sample, of shape (160 frames,).

    Straight lines between the centres of the frames of a voiced run, held at its ends; never
    across an unvoiced gap, where it stays 0.

    Examples
    --------
    >>> pitch = sample_pitch(np.array([0, 100, 132, 0]))
    >>> pitch[[0, 159, 160, 240, 320, 400, 479, 480]].tolist()
    [0.0, 0.0, 100.0, 100.0, 116.0, 132.0, 132.0, 0.0]
    """
    f0 = np.asarray(f0, dtype=np.float64)
    pitch = np.zeros(HOP * len(f0))
    voiced = np.concatenate([[False], f0 > 0, [False]])
    edges = np.flatnonzero(voiced[1:] != voiced[:-1])
    for start, end in edges.reshape(-1, 2):
        centres = HOP * np.arange(start, end) + HOP // 2
        samples = np.arange(HOP * start, HOP * end)
        pitch[samples] = np.interp(samples, centres, f0[start:end])
    return pitch


def harmonic_source(f0: np.ndarray, start: float = 0.0) -> np.ndarray:
    """Return all harmonics of a contour, of shape (160 frames,), zero where unvoiced.

    Σ cos 2πkφ over k = 1 … K in closed form, times 2 √(f0 / rate): the mean power density is that
    of unit white noise, so that one filter fits both.

    Parameters
    ----------
    f0
        The contour.
    start
        Phase of the first sample, in periods.
    """
    pitch = sample_pitch(f0)
    phase = start + np.cumsum(pitch / RATE_HZ)
    # About 0 the sines are exact to the last digit.
    phase -= np.round(phase)
    count = np.floor(HIGHEST_HZ / np.where(pitch > 0, pitch, HIGHEST_HZ))
    below = np.sin(np.pi * phase)
    tiny = np.abs(below) < 1e-9
    ratio = np.sin((2 * count + 1) * np.pi * phase) / np.where(tiny, 1.0, below)
    ratio[tiny] = 2 * count[tiny] + 1
    return (ratio - 1) * np.sqrt(pitch / RATE_HZ)


def sine_source(
    f0: np.ndarray,
    rng: np.random.Generator,
    *,
    harmonics: int,
    amplitude: float,
    voiced_noise: float,
) -> np.ndarray:
    """Return the sines of a neural source-filter model, of shape (160 frames, harmonics).

    s_k(t) = amplitude · sin(2π Σ k f0(τ) / rate + φ_k) plus a little noise in voiced frames, noise
    of a third of the amplitude in others; φ_1 = 0, the others random. The pitch of a frame is
    that of all its samples.
    """
    pitch = np.repeat(np.asarray(f0, dtype=np.float64), HOP)
    phase = np.cumsum(pitch / RATE_HZ) % 1.0
    order = np.arange(1, harmonics + 1)
    offsets = np.concatenate([[0.0], rng.uniform(0.0, 1.0, harmonics - 1)])
    sines = amplitude * np.sin(2 * np.pi * (phase[:, None] * order + offsets))
    voiced = pitch[:, None] > 0
    noise = rng.standard_normal(sines.shape)
    return np.where(voiced, sines + voiced_noise * noise, amplitude / 3 * noise)
