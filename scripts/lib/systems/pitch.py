"""Track the fundamental frequency of speech by the autocorrelation method of Boersma (1993).

The autocorrelation of each windowed frame is divided by that of the window; its highest maxima are
candidates, and the cheapest path through candidates and "unvoiced" is the contour.
"""

import numpy as np

STEP_S = 0.01
FLOOR_HZ, CEILING_HZ = 75.0, 600.0
CANDIDATES = 6
SILENCE_THRESHOLD = 0.03
VOICING_THRESHOLD = 0.45
OCTAVE_COST = 0.01
OCTAVE_JUMP_COST = 0.35
VOICING_CHANGE_COST = 0.14
FFT_SIZE = 1024


def track_pitch(samples: np.ndarray, rate_hz: int = 16000) -> np.ndarray:
    """Return the fundamental frequency in Hz every 10 ms, 0 where speech is not voiced.

    Parameters
    ----------
    samples
        Waveform of shape (n,); frame i is centred on i times 10 ms.
    rate_hz
        Sampling rate.

    Examples
    --------
    >>> t = np.arange(8000) / 16000
    >>> pulses = sum(np.cos(2 * np.pi * 120 * k * t) for k in range(1, 20))
    >>> contour = track_pitch(pulses)
    >>> len(contour), round(float(np.median(contour)))
    (51, 120)
    """
    frames = _frames(samples, rate_hz)
    loudness = np.abs(frames).max(axis=1)
    correlation = _normalised_autocorrelation(frames)
    lag, strength = _candidates(correlation, rate_hz)
    hertz = rate_hz / lag
    relative = loudness / max(loudness.max(), np.finfo(float).tiny)
    unvoiced = VOICING_THRESHOLD + np.maximum(
        0.0, 2.0 - relative * (1.0 + VOICING_THRESHOLD) / SILENCE_THRESHOLD
    )
    hertz = np.column_stack([np.zeros(len(hertz)), hertz])
    strength = np.column_stack([unvoiced, strength])
    return cheapest_path(hertz, strength, jump=OCTAVE_JUMP_COST, change=VOICING_CHANGE_COST)


def _frames(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """Return frames of three longest periods, each without its mean."""
    step, width = round(STEP_S * rate_hz), 2 * round(1.5 * rate_hz / FLOOR_HZ)
    padded = np.pad(np.asarray(samples, dtype=np.float64), width // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, width)[::step]
    return frames - frames.mean(axis=1, keepdims=True)


def _normalised_autocorrelation(frames: np.ndarray) -> np.ndarray:
    window = np.hanning(frames.shape[1] + 2)[1:-1]
    of_frames = _autocorrelation(frames * window)
    of_window = _autocorrelation(window[None])
    power = np.maximum(of_frames[:, :1], np.finfo(float).tiny)
    return of_frames / power * (of_window[:, :1] / of_window)


def _autocorrelation(signals: np.ndarray) -> np.ndarray:
    lags = signals.shape[1] // 2
    return np.fft.irfft(np.abs(np.fft.rfft(signals, FFT_SIZE)) ** 2)[:, :lags]


def _candidates(correlation: np.ndarray, rate_hz: int) -> tuple[np.ndarray, np.ndarray]:
    """Return lags in samples and strengths of the best maxima, both (frames, candidates)."""
    low, high = int(rate_hz / CEILING_HZ), int(rate_hz / FLOOR_HZ) + 1
    before, here, after = (correlation[:, low + d : high + d] for d in (-1, 0, 1))
    is_peak = (here > before) & (here >= after)
    curvature = np.minimum(before - 2.0 * here + after, -np.finfo(float).tiny)
    shift = np.clip(np.where(is_peak, 0.5 * (before - after) / curvature, 0.0), -0.5, 0.5)
    height = here - 0.25 * (before - after) * shift
    lag = np.arange(low, high) + shift
    # Short periods get a bonus, or a perfectly periodic sound could be taken an octave too low.
    strength = np.where(
        is_peak, np.minimum(height, 1.0) - OCTAVE_COST * np.log2(FLOOR_HZ * lag / rate_hz), -np.inf
    )
    best = np.argpartition(-strength, CANDIDATES, axis=1)[:, :CANDIDATES]
    return np.take_along_axis(lag, best, axis=1), np.take_along_axis(strength, best, axis=1)


def cheapest_path(
    hertz: np.ndarray, strength: np.ndarray, *, jump: float, change: float
) -> np.ndarray:
    """Choose one column per frame and return its pitch in Hz, shape (frames,).

    Parameters
    ----------
    hertz
        Pitch of each candidate, shape (frames, candidates): 0 in column 0, which is unvoiced.
    strength
        What a candidate earns, of the same shape.
    jump
        Cost of a jump by an octave between voiced frames.
    change
        Cost of becoming voiced or unvoiced.
    """
    log = np.log2(np.maximum(hertz, 1.0))
    costs = jump * np.abs(log[1:, :, None] - log[:-1, None, :])
    costs[:, 0, :] = costs[:, :, 0] = change
    costs[:, 0, 0] = 0.0
    total = strength[0]
    origin = np.zeros(hertz.shape, dtype=int)
    for index in range(1, len(hertz)):
        options = total[None, :] - costs[index - 1]
        origin[index] = options.argmax(axis=1)
        total = options.max(axis=1) + strength[index]
    path = np.zeros(len(hertz), dtype=int)
    path[-1] = total.argmax()
    for index in range(len(hertz) - 1, 0, -1):
        path[index - 1] = origin[index, path[index]]
    return hertz[np.arange(len(hertz)), path]
