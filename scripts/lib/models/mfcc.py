"""Cepstra of voiced frames as the ASV system of VoicePrivacy 2020 hears them (section 5.1)."""

from collections.abc import Mapping
from hashlib import sha256

import numpy as np
import torch
from torchaudio.compliance import kaldi

from scripts.lib.audio import RATE_HZ
from scripts.lib.seeding import rng_for


def voiced_cepstra(samples: np.ndarray, features: Mapping) -> np.ndarray:
    """Return float32 features of shape (voiced frames, cepstra), without their sliding mean.

    Parameters
    ----------
    samples
        Speech at 16 kHz in [-1, 1).
    features
        Key `features` of an entry of config/asv.
    """
    cepstra = mfcc(samples, features)
    voiced = voiced_frames(
        cepstra[:, 0],
        threshold=features["vad_threshold"],
        mean_scale=features["vad_mean_scale"],
        context=features["vad_context"],
        proportion=features["vad_proportion"],
    )
    if not voiced.any():
        raise ValueError("no frame is loud enough to be speech; an attacker cannot hear anybody")
    # The mean is taken before unvoiced frames go, as in 2020.
    return without_sliding_mean(cepstra, features["cmn_frames"])[voiced].astype(np.float32)


def mfcc(samples: np.ndarray, features: Mapping) -> np.ndarray:
    """Return cepstra of shape (frames, cepstra), whose first is the raw log energy.

    Frames of 25 ms every 10 ms, Povey window, pre-emphasis 0.97, lifter 22, mirrored edges.

    Parameters
    ----------
    samples
        Speech at 16 kHz in [-1, 1).
    features
        `cepstra`, `low_hz`, `high_hz`, `dither`.
    """
    # Kaldi works at the scale of 16-bit integers; the threshold of speech depends on it.
    scaled = samples.astype(np.float32) * 32768.0
    # Kaldi dithers each frame anew, so that overlapping frames differ, and differently in every
    # run (about 0.15 points of EER). This noise belongs to the recording: same bytes each time.
    rng = rng_for(0, "dither", sha256(scaled.tobytes()).hexdigest())
    noise = features["dither"] * rng.standard_normal(len(scaled), dtype=np.float32)
    cepstra = kaldi.mfcc(
        torch.from_numpy(scaled + noise)[None],
        num_ceps=features["cepstra"],
        num_mel_bins=features["cepstra"],
        low_freq=features["low_hz"],
        high_freq=features["high_hz"],
        sample_frequency=RATE_HZ,
        use_energy=True,
        energy_floor=0.0,
        dither=0.0,
        snip_edges=False,
    )
    return cepstra.numpy()


def voiced_frames(
    log_energy: np.ndarray, *, threshold: float, mean_scale: float, context: int, proportion: float
) -> np.ndarray:
    """Return which frames are speech: enough of their neighbours are loud.

    Parameters
    ----------
    log_energy
        Raw log energy of each frame.
    threshold, mean_scale
        A frame is loud above threshold + mean_scale times the mean log energy.
    context
        Neighbours to each side; fewer at the edges.
    proportion
        Share of loud ones among them that is enough.

    Examples
    --------
    >>> energy = np.array([0.0, 0.0, 0.0, 10.0, 0.0])
    >>> voiced_frames(energy, threshold=5.0, mean_scale=0.5, context=1, proportion=0.5).tolist()
    [False, False, False, False, True]
    """
    loud = log_energy > threshold + mean_scale * log_energy.mean(dtype=np.float64)
    sums = np.concatenate([[0], np.cumsum(loud)])
    frames = np.arange(len(loud))
    start, stop = np.maximum(frames - context, 0), np.minimum(frames + context + 1, len(loud))
    return sums[stop] - sums[start] >= proportion * (stop - start)


def without_sliding_mean(cepstra: np.ndarray, window: int) -> np.ndarray:
    """Subtract the mean of a window around each frame, moved inward at the edges.

    Parameters
    ----------
    cepstra
        Shape (frames, dim).
    window
        Length of the window in frames; a shorter recording is one window.

    Examples
    --------
    >>> without_sliding_mean(np.array([[0.0], [1.0], [2.0], [6.0]]), 2)[:, 0].tolist()
    [-0.5, 0.5, 0.5, 2.0]
    """
    frames = len(cepstra)
    width = min(window, frames)
    sums = np.zeros((frames + 1, cepstra.shape[1]))
    np.cumsum(cepstra, axis=0, dtype=np.float64, out=sums[1:])
    start = np.clip(np.arange(frames) - window // 2, 0, frames - width)
    return cepstra - (sums[start + width] - sums[start]) / width
