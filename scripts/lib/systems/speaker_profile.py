"""Measure what I1 changes of a voice: pitch, vocal tract, articulation rate and band levels.

The tract is described by φ, the frequency of the first formant of a neutral vowel: a tube of length
L closed at one end resonates at (2k − 1)·φ with φ = c / 4L. Formulas and thresholds follow the
public description of adjustable pseudonymisation (Idiap–NKI); formants come from Burg's method.
"""

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import label
from scipy.signal import find_peaks, resample_poly

from scripts.lib.audio import RATE_HZ
from scripts.lib.systems.lpc import burg
from scripts.lib.systems.pitch import STEP_S, track_pitch
from scripts.lib.systems.poles import find_pairs

FORMANTS = 5
FORMANT_RATE_HZ = 11_000
SOUND_SPEED_CM_S = 35_295.0
TRACT_CONSTANT_HZ = 229.0
TRACT_WEIGHTS = np.array([0.030, 0.082, 0.124, 0.354])
REFINEMENTS = 6
FEWEST_VOWEL_FRAMES = 5
SILENCE_DB = 25.0
DIP_DB = 4.0
PAUSE_S = 0.3
FEWEST_SYLLABLES = 3
LEVEL_DB = 70.0
"""Level that all recordings are brought to, relative to 20 µPa at an amplitude of 1 Pa."""


@dataclass(frozen=True)
class Profile:
    """A voice as measured; what the recording is too short to tell is None.

    `contour` is the fundamental frequency every 10 ms (0 = unvoiced), `pitch_hz` its median,
    `tract_hz` is φ, `formant_tract_hz` holds median F_k / (2k − 1) for k = 1…5, `syllables_per_s`
    counts sounding time only.
    """

    contour: np.ndarray
    pitch_hz: float | None
    tract_hz: float | None
    formant_tract_hz: tuple[float, ...] | None
    syllables_per_s: float | None


def measure_profile(samples: np.ndarray) -> Profile:
    """Measure the voice in a recording of shape (n,) at 16 kHz."""
    contour = track_pitch(samples, RATE_HZ)
    voiced = contour > 0.0
    pitch_hz = float(np.median(contour[voiced])) if voiced.any() else None
    intensity = _intensity_db(samples)
    audible = intensity > np.quantile(intensity, 0.99) - SILENCE_DB
    formants = track_formants(samples)
    vowels = formants[voiced & audible & np.isfinite(formants[:, :4]).all(axis=1)]
    tract_hz, per_formant = _tract(vowels)
    rate = _articulation_rate(intensity, audible, voiced)
    return Profile(contour, pitch_hz, tract_hz, per_formant, rate)


def track_formants(samples: np.ndarray) -> np.ndarray:
    """Return five formant frequencies in Hz every 10 ms, shape (frames, 5), NaN where missing.

    Order-10 prediction up to 5.5 kHz over Hann windows of 25 ms, pre-emphasis from 50 Hz.

    Examples
    --------
    >>> track_formants(np.random.default_rng(0).normal(size=1600)).shape
    (11, 5)
    """
    signal = resample_poly(np.asarray(samples, dtype=np.float64), FORMANT_RATE_HZ, RATE_HZ)
    emphasis = np.exp(-2.0 * np.pi * 50.0 / FORMANT_RATE_HZ)
    signal = np.append(signal[:1], signal[1:] - emphasis * signal[:-1])
    width, step = 274, round(STEP_S * FORMANT_RATE_HZ)
    count = 1 + len(samples) // round(STEP_S * RATE_HZ)
    padded = np.pad(signal, (width // 2, width + step))
    frames = np.lib.stride_tricks.sliding_window_view(padded, width)[::step][:count]
    # The offset keeps prediction defined on digital silence.
    frames = (frames * np.hanning(width)).T + 2.0**-23
    total, product = find_pairs(burg(np.ascontiguousarray(frames), 2 * FORMANTS))
    spread = np.maximum(4.0 * product - total**2, 0.0)
    hertz = np.arctan2(np.sqrt(spread), -total) * FORMANT_RATE_HZ / (2.0 * np.pi)
    bandwidth = -np.log(np.maximum(product, 1e-12)) * FORMANT_RATE_HZ / (2.0 * np.pi)
    believable = (spread > 0.0) & (hertz > 90.0) & (hertz < 5400.0) & (bandwidth < 700.0)
    return np.sort(np.where(believable, hertz, np.nan), axis=0).T


def band_edges(tract_hz: float) -> np.ndarray:
    """Return the upper edges in Hz of the six bands of a tract: φ/2, 2φ, 4φ, 6φ, 8φ, 10φ.

    Examples
    --------
    >>> band_edges(500.0).tolist()
    [250.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0]
    """
    return tract_hz * np.array([0.5, 2.0, 4.0, 6.0, 8.0, 10.0])


def band_levels(samples: np.ndarray, tract_hz: float) -> np.ndarray:
    """Return the level in dB of the six bands of a recording that is brought to 70 dB.

    Examples
    --------
    >>> tone = np.sin(2 * np.pi * 500 * np.arange(16000) / 16000)
    >>> float(band_levels(tone, 500.0)[1].round(3))
    70.0
    """
    power = np.abs(np.fft.rfft(samples)) ** 2
    hertz = np.fft.rfftfreq(len(samples), 1.0 / RATE_HZ)
    total = np.maximum(power[1:].sum(), np.finfo(float).tiny)
    upto = np.concatenate([[0.0], np.cumsum(power[1:])])
    edges = np.searchsorted(hertz, np.concatenate([[0.0], band_edges(tract_hz)]), side="right") - 1
    inside = np.diff(upto[np.maximum(edges, 0)])
    return LEVEL_DB + 10.0 * np.log10(np.maximum(inside / total, 1e-12))


def _tract(vowels: np.ndarray) -> tuple[float, tuple[float, ...]] | tuple[None, None]:
    """Return φ and its value per formant from the vowel frames that lie nearest to schwa."""
    if len(vowels) < FEWEST_VOWEL_FRAMES:
        return None, None
    odd = 2.0 * np.arange(1, FORMANTS + 1) - 1.0
    per_formant = vowels / odd
    phi = TRACT_CONSTANT_HZ + per_formant[:, :4] @ TRACT_WEIGHTS
    chosen = np.arange(len(vowels))
    for _ in range(REFINEMENTS):
        # The mean is taken over tract lengths, not over frequencies.
        length_cm = np.mean(SOUND_SPEED_CM_S / (4.0 * phi[chosen]))
        centre = SOUND_SPEED_CM_S / (4.0 * length_cm)
        distance = np.hypot(*(per_formant[:, :2] / centre - 1.0).T)
        chosen = np.argsort(distance, kind="stable")[: max(FEWEST_VOWEL_FRAMES, len(vowels) // 3)]
    near = per_formant[chosen]
    near = np.where(np.isfinite(near), near, centre)
    return float(centre), tuple(float(value) for value in np.median(near, axis=0))


def _intensity_db(samples: np.ndarray) -> np.ndarray:
    """Return the level every 10 ms, smoothed over 64 ms so that single periods do not show."""
    step = round(STEP_S * RATE_HZ)
    window = np.hanning(1026)[1:-1]
    padded = np.pad(np.asarray(samples, dtype=np.float64) ** 2, len(window) // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, len(window))[::step]
    return 10.0 * np.log10(frames @ (window / window.sum()) + 1e-12)


def _articulation_rate(
    intensity: np.ndarray, audible: np.ndarray, voiced: np.ndarray
) -> float | None:
    """Count voiced peaks of intensity per second of speech (de Jong and Wempe 2009)."""
    peaks, _ = find_peaks(intensity, prominence=DIP_DB)
    syllables = int(np.sum(audible[peaks] & voiced[peaks]))
    if syllables < FEWEST_SYLLABLES:
        return None
    numbered, _ = label(~audible)
    lengths = np.bincount(numbered)
    is_pause = ~audible & (lengths[numbered] * STEP_S >= PAUSE_S)
    return syllables / (np.sum(~is_pause) * STEP_S)
