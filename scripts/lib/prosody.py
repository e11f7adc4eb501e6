"""Describe how an utterance is spoken by statistics of its cepstrum, pitch and loudness contour.

Nothing depends on the level of a recording: a gain moves the first cepstral coefficient only,
which is left out.
"""

import numpy as np
from scipy.fft import dct

from scripts.lib.audio import RATE_HZ
from scripts.lib.frames import mel_filters
from scripts.lib.systems.pitch import STEP_S, track_pitch

FRAME_S = 0.025
FFT_SIZE = 512
BANDS = 40
LOW_HZ, HIGH_HZ = 50.0, 7600.0
COEFFICIENTS = 20
# Frames this far below the loudest one (natural log of power, 35 dB) are pauses.
PAUSE_BELOW = 8.0
PERCENTILES = (5, 25, 50, 75, 95)


def prosody_statistics(samples: np.ndarray) -> np.ndarray:
    """Return the statistics of one utterance, shape (76,).

    Mean and deviation of the cepstral coefficients and deviation of their slopes while somebody
    speaks; distribution, range and movement of pitch in octaves and how much is voiced;
    distribution of loudness below its upper end and how fast it changes.

    Parameters
    ----------
    samples
        Speech at 16 kHz, shape (n,).

    Examples
    --------
    >>> time = np.arange(RATE_HZ) / RATE_HZ
    >>> buzz = sum(np.cos(2 * np.pi * 150 * k * time) / k for k in range(1, 20))
    >>> statistics = prosody_statistics(buzz)
    >>> statistics.shape, round(float(2 ** statistics[COEFFICIENTS * 3 - 2]))
    ((76,), 150)
    """
    bands = _log_mel(samples)
    pitch_hz = track_pitch(samples)[: len(bands)]
    bands = bands[: len(pitch_hz)]
    loudness = np.logaddexp.reduce(bands, axis=1)
    speech = loudness > loudness.max() - PAUSE_BELOW
    cepstrum = dct(bands, norm="ortho", axis=1)[:, :COEFFICIENTS]
    slopes = np.gradient(cepstrum, axis=0)[speech]
    cepstrum = cepstrum[speech, 1:]
    parts = [
        cepstrum.mean(axis=0),
        cepstrum.std(axis=0),
        slopes.std(axis=0),
        _pitch_statistics(pitch_hz, speech),
        _loudness_statistics(loudness, speech),
    ]
    return np.concatenate(parts)


def _pitch_statistics(pitch_hz: np.ndarray, speech: np.ndarray) -> np.ndarray:
    voiced = pitch_hz > 0
    octaves = np.log2(np.where(voiced, pitch_hz, 1.0))
    steps = np.diff(octaves)[voiced[1:] & voiced[:-1]]
    # A whispered utterance has no pitch: zeros, which lie far from every voice.
    known = octaves[voiced] if voiced.any() else np.zeros(1)
    steps = steps if len(steps) else np.zeros(1)
    return np.array(
        [
            known.mean(),
            known.std(),
            *np.percentile(known, PERCENTILES),
            np.ptp(known),
            np.abs(steps).mean(),
            steps.std(),
            voiced.mean(),
            voiced[speech].mean(),
        ]
    )


def _loudness_statistics(loudness: np.ndarray, speech: np.ndarray) -> np.ndarray:
    spoken = loudness[speech]
    *lower, top = np.percentile(spoken, PERCENTILES)
    return np.array([spoken.std(), *(np.array(lower) - top), np.abs(np.diff(loudness)).mean()])


def _log_mel(samples: np.ndarray) -> np.ndarray:
    """Return log band powers of shape (frames, BANDS), a frame centred on each pitch value."""
    width, step = round(FRAME_S * RATE_HZ), round(STEP_S * RATE_HZ)
    padded = np.pad(np.asarray(samples, dtype=np.float64), width // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, width)[::step]
    power = np.abs(np.fft.rfft(frames * np.hanning(width), FFT_SIZE)) ** 2
    bands = power @ mel_filters(BANDS, FFT_SIZE, LOW_HZ, HIGH_HZ).T
    # The floor is relative, so that a gain shifts every band alike.
    return np.log(np.maximum(bands, max(bands.max(), np.finfo(float).tiny) * 1e-9))
