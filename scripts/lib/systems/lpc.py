"""Warp the linear-prediction poles of speech and resynthesise it with its own residual.

Every frame is predicted by Burg's method; the poles of the predictor get new angles and radii, and
the prediction residual is filtered by the new all-pole filter. Frames are handled side by side:
arrays are time-major, (samples or coefficients, frames), and no Python loop runs over frames.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from scripts.lib.systems.poles import expand_pairs, find_pairs, warp_pairs

OFFSET = 2.0**-23
"""Added to the samples, and once more before prediction, as the challenge scripts do."""

CHUNK_FRAMES = 1024
"""Frames handled at once: about 20 MB of working arrays, however long the utterance is."""


def lpc_warp(
    samples: np.ndarray,
    *,
    alpha: float,
    rho: float = 1.0,
    order: int = 20,
    window: int = 320,
    hop: int = 160,
    skip_first_frame: bool = False,
) -> np.ndarray:
    """Return the samples with every pole angle φ changed to φ^alpha and every radius to rho·r.

    Only complete frames are processed: what lies behind the last one is zero, and so is the whole
    output if the input is shorter than one window.

    Parameters
    ----------
    samples
        Waveform of shape (n,) in [-1, 1].
    alpha
        McAdams coefficient. Angles stay in (0, π); real poles keep their angle.
    rho
        Factor of all pole radii, in (0, 1]: 1 keeps the bandwidths.
    order
        Number of poles per frame.
    window, hop
        Frame length and shift in samples.
    skip_first_frame
        Leave the first frame out, as the script of 2020 did: the first `hop` samples are silent.

    Returns
    -------
    np.ndarray
        Waveform of shape (n,) in double precision, without any normalisation.

    Examples
    --------
    >>> t = np.arange(1600) / 16000
    >>> tone = np.sin(2 * np.pi * 440 * t) + np.sin(2 * np.pi * 2000 * t)
    >>> same = lpc_warp(tone, alpha=1.0)
    >>> bool(np.max(np.abs(same - tone)[160:1440]) < 0.01)
    True
    """
    samples = np.asarray(samples)
    _check(samples, alpha, rho, order, window, hop)
    result = np.zeros(len(samples))
    if len(samples) < window:
        return result
    taper = _taper(window, hop)
    frames = sliding_window_view(samples.astype(np.float64) + OFFSET, window)[::hop]
    for start in range(int(skip_first_frame), len(frames), CHUNK_FRAMES):
        chunk = np.ascontiguousarray(frames[start : start + CHUNK_FRAMES].T) * taper[:, None]
        predictor = burg(chunk + OFFSET, order)
        warped = expand_pairs(warp_pairs(find_pairs(predictor), alpha, rho), order)
        chunk = filter_all_pole(filter_inverse(chunk, predictor), warped)
        chunk *= taper[:, None]
        _overlap_add(result[start * hop :], chunk, hop)
    return result


def burg(frames: np.ndarray, order: int) -> np.ndarray:
    """Fit linear predictors by Burg's method, minimising forward and backward errors together.

    Parameters
    ----------
    frames
        Signals of shape (samples, frames).
    order
        Number of prediction coefficients.

    Returns
    -------
    np.ndarray
        Coefficients of shape (order + 1, frames), the first of which is 1. All poles lie inside
        the unit circle.

    Examples
    --------
    >>> decay = 0.5 ** np.arange(50.0)[:, None]
    >>> burg(decay, 1).round(3).ravel().tolist()
    [1.0, -0.8]
    """
    coefficients = np.zeros((order + 1, frames.shape[1]))
    coefficients[0] = 1.0
    forward, backward = frames[1:].copy(), frames[:-1].copy()
    scratch, other = np.empty_like(frames), np.empty_like(frames)
    energy = _dot(forward, forward) + _dot(backward, backward)
    for stage in range(order):
        correlation = -2.0 * _dot(forward, backward)
        # A perfectly predicted frame (silence, DC) leaves rounding noise, for which the recursive
        # energy is no bound any more; the published recursion then diverges, here it stops.
        usable = np.abs(correlation) < energy
        reflection = np.divide(correlation, energy, out=np.zeros_like(energy), where=usable)
        head = coefficients[: stage + 2]
        head += reflection * head[::-1]
        step = np.multiply(forward, reflection, out=scratch[stage + 1 :])
        forward += np.multiply(backward, reflection, out=other[stage + 1 :])
        backward += step
        energy = (1.0 - reflection**2) * energy - backward[-1] ** 2 - forward[0] ** 2
        forward, backward = forward[1:], backward[:-1]
    return coefficients


def filter_inverse(frames: np.ndarray, predictor: np.ndarray) -> np.ndarray:
    """Return the prediction residual of frames of shape (samples, frames) from zero state.

    Examples
    --------
    >>> filter_inverse(np.array([[1.0], [0.5], [0.25]]), np.array([[1.0], [-0.5]])).ravel().tolist()
    [1.0, 0.0, 0.0]
    """
    residual = frames.copy()
    scratch = np.empty_like(frames)
    for delay in range(1, min(len(predictor), len(frames))):
        product = np.multiply(frames[:-delay], predictor[delay], out=scratch[delay:])
        residual[delay:] += product
    return residual


def filter_all_pole(residual: np.ndarray, predictor: np.ndarray) -> np.ndarray:
    """Undo `filter_inverse` with other coefficients: filter by 1 / predictor from zero state.

    Examples
    --------
    >>> filter_all_pole(np.array([[1.0], [0.0], [0.0]]), np.array([[1.0], [-0.5]])).ravel().tolist()
    [1.0, 0.5, 0.25]
    """
    order, samples = len(predictor) - 1, len(residual)
    # Every finished sample is subtracted from the `order` samples behind it; the extra rows take
    # what would fall beyond the frame.
    signal = np.concatenate([residual, np.zeros((order, residual.shape[1]))])
    feedback, scratch = predictor[1:], np.empty_like(predictor[1:])
    for now in range(samples):
        following = signal[now + 1 : now + 1 + order]
        np.multiply(feedback, signal[now], out=scratch)
        np.subtract(following, scratch, out=following)
    return signal[:samples]


def _taper(window: int, hop: int) -> np.ndarray:
    hann = np.hanning(window)
    return np.sqrt(hann * hop / hann.sum())


def _overlap_add(target: np.ndarray, frames: np.ndarray, hop: int) -> None:
    """Add frames of shape (window, frames) into `target`, one `hop` apart."""
    window, count = frames.shape
    for low in range(0, window, hop):
        part = frames[low : low + hop]
        place = np.lib.stride_tricks.as_strided(
            target[low:], shape=(count, len(part)), strides=(hop * target.itemsize, target.itemsize)
        )
        place += part.T


def _dot(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.einsum("nf,nf->f", left, right)


def _check(
    samples: np.ndarray, alpha: float, rho: float, order: int, window: int, hop: int
) -> None:
    if samples.ndim != 1:
        raise ValueError(f"lpc_warp needs mono samples of shape (n,), got shape {samples.shape}")
    if not np.all(np.isfinite(samples)):
        raise ValueError("lpc_warp got samples that are NaN or infinite: repair the recording")
    if not alpha > 0:
        raise ValueError(f"alpha must be positive, got {alpha}")
    if not 0 < rho <= 1:
        raise ValueError(f"rho must lie in (0, 1], or the filter may be unstable; got {rho}")
    if not 1 <= order < window or not 1 <= hop <= window:
        raise ValueError(f"need order < window and hop <= window, got {order}, {window}, {hop}")
