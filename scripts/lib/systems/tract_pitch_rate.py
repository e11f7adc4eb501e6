"""Anonymize speech by another vocal tract, pitch and speaking rate (I1).

Every utterance is moved from its own measured profile to a target: formants are scaled by the ratio
of the tract frequencies φ (some frequency bands by ratios of their own), the median pitch and the
articulation rate are brought to the target's. All three changes are partly reversible: whoever
knows pitch and tempo of the original can set them again.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from scripts.lib.audio import RATE_HZ
from scripts.lib.systems.psola import GRAIN_SIZE, place_marks, resynthesise
from scripts.lib.systems.ranges import Generator, value_from
from scripts.lib.systems.speaker_profile import (
    LEVEL_DB,
    Profile,
    band_edges,
    band_levels,
    measure_profile,
)

DEFAULTS: dict[str, Any] = {
    "tract_hz": {"uniform": [500.0, 585.0]},
    "pitch_hz": {"uniform": [110.0, 175.0]},
    "syllables_per_s": {"uniform": [3.8, 4.2]},
    "band_tract_spread_hz": [40.0, 40.0, 75.0, 75.0, 75.0, 75.0],
    "band_level_db": [64.0, 67.0, 58.0, 50.0, 47.0, 45.0],
    "band_level_spread_db": [4.5, 2.5, 4.5, 8.0, 10.0, 9.0],
    "bands": [0, 3, 4, 5],
    "exaggeration": 0.0,
    "max_pitch_change": 1.5,
    "max_rate_change": 1.5,
    "max_tract_change": 1.3,
    "max_level_change_db": 6.0,
}
BANDS = 6
TYPICAL_TRACT_HZ = 540.0
"""Taken for recordings in which no vowel is found."""

REFERENCE_PRESSURE = 2e-5
PEAK = 0.99


def draw(rng: Generator, params: Mapping[str, Any]) -> dict[str, Any]:
    """Choose the target voice: tract, pitch, rate, and tract and level of six frequency bands.

    `tract_hz`, `pitch_hz` and `syllables_per_s` are numbers or `{"uniform": [low, high]}`; the
    bands are drawn around the tract and around typical levels.

    Examples
    --------
    >>> voice = draw(np.random.default_rng(0), {"tract_hz": 550, "pitch_hz": 120})
    >>> voice["tract_hz"], voice["pitch_hz"], len(voice["band_tract_hz"])
    (550.0, 120.0, 6)
    """
    settings = _settings(params)
    tract_hz = value_from(rng, settings["tract_hz"])
    voice = {
        "tract_hz": tract_hz,
        "pitch_hz": value_from(rng, settings["pitch_hz"]),
        "syllables_per_s": value_from(rng, settings["syllables_per_s"]),
    }
    voice["band_tract_hz"] = [
        float(rng.uniform(tract_hz - spread, tract_hz + spread))
        for spread in settings["band_tract_spread_hz"]
    ]
    levels = zip(settings["band_level_db"], settings["band_level_spread_db"], strict=True)
    voice["band_level_db"] = [float(rng.uniform(at - by, at + by)) for at, by in levels]
    return voice


def voice_of(samples: np.ndarray) -> dict[str, Any]:
    """Describe a recording in the terms of `draw`, to make it the target or to undo a change."""
    profile = measure_profile(samples)
    if profile.pitch_hz is None or profile.tract_hz is None or profile.syllables_per_s is None:
        raise ValueError(
            "the recording is too short for a voice profile: it needs voiced vowels and at least "
            "three syllables"
        )
    return {
        "tract_hz": profile.tract_hz,
        "pitch_hz": profile.pitch_hz,
        "syllables_per_s": profile.syllables_per_s,
        "band_tract_hz": [profile.tract_hz, *profile.formant_tract_hz],
        "band_level_db": band_levels(samples, profile.tract_hz).tolist(),
    }


def process(samples: np.ndarray, voice: Mapping[str, Any], params: Mapping[str, Any]) -> np.ndarray:
    """Move one utterance to the target voice.

    Parameters
    ----------
    samples
        Waveform of shape (n,) at 16 kHz, in [-1, 1].
    voice
        The result of `draw` or `voice_of`.
    params
        `bands`: which of the six bands take their own tract frequency and level; `exaggeration`
        κ: the target tract is moved on by κ times its distance from the source;
        `max_pitch_change`, `max_rate_change`, `max_tract_change`: largest factor of each change;
        `max_level_change_db`. Missing keys have the values of `DEFAULTS`.

    Returns
    -------
    np.ndarray
        Waveform in [-1, 1] at 70 dB (root mean square 0.063, less if it would clip), its length
        changed by the ratio of the rates. An utterance without pitch or with fewer than three
        syllables keeps its pitch or its duration.

    Examples
    --------
    >>> noise = 0.1 * np.random.default_rng(0).normal(size=1600)
    >>> process(noise, draw(np.random.default_rng(0), {}), {}).shape
    (1600,)
    """
    samples = np.asarray(samples, dtype=np.float64)
    if samples.ndim != 1:
        raise ValueError(f"need mono samples of shape (n,), got shape {samples.shape}")
    if not samples.any():
        return np.zeros(len(samples))
    settings = _settings(params)
    profile = measure_profile(samples)
    pitch_factor = _factor(voice["pitch_hz"], profile.pitch_hz, settings["max_pitch_change"])
    rate_factor = _factor(
        voice["syllables_per_s"], profile.syllables_per_s, settings["max_rate_change"]
    )
    position, gain = _frequency_map(samples, profile, voice, settings)
    below = np.minimum(position.astype(int), len(position) - 2)
    part = position - below

    def reshape(spectra: np.ndarray) -> np.ndarray:
        return gain * ((1.0 - part) * spectra[:, below] + part * spectra[:, below + 1])

    marks, voiced = place_marks(samples, profile.contour, RATE_HZ)
    changed = resynthesise(
        samples,
        marks,
        voiced,
        pitch_factor=pitch_factor,
        duration_factor=1.0 / rate_factor,
        reshape=reshape,
    )
    return _at_level(changed)


def _settings(params: Mapping[str, Any]) -> dict[str, Any]:
    unknown = set(params) - set(DEFAULTS)
    if unknown:
        raise ValueError(
            f"unknown params {sorted(unknown)}: tract_pitch_rate knows {sorted(DEFAULTS)}"
        )
    settings = DEFAULTS | dict(params)
    for key in ("band_tract_spread_hz", "band_level_db", "band_level_spread_db"):
        if len(settings[key]) != BANDS:
            raise ValueError(f"{key} needs one value per band, {BANDS}, got {settings[key]}")
    if not set(settings["bands"]) <= set(range(BANDS)):
        raise ValueError(f"bands must be numbers from 0 to {BANDS - 1}, got {settings['bands']}")
    return settings


def _factor(target: float, source: float | None, largest: float) -> float:
    if source is None:
        return 1.0
    return float(np.clip(target / source, 1.0 / largest, largest))


def _frequency_map(
    samples: np.ndarray, profile: Profile, voice: Mapping[str, Any], settings: Mapping[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each bin of a grain's spectrum the source bin it takes, and its amplitude factor.

    The original cuts bands out of differently scaled recordings and splices them; here one map
    passes from scale to scale over the same width (a tenth of the edge), so that no band is
    filtered twice and phases stay aligned.
    """
    source_tract = profile.tract_hz or TYPICAL_TRACT_HZ
    source_bands = [source_tract, *(profile.formant_tract_hz or [source_tract] * (BANDS - 1))]
    source_levels = band_levels(samples, source_tract)
    kappa, largest = settings["exaggeration"], settings["max_tract_change"]

    def scale_to(target: float, source: float) -> float:
        return _factor(target + kappa * (target - source), source, largest)

    overall = scale_to(voice["tract_hz"], source_tract)
    # One entry more than bands, for what lies above them.
    scales, gains_db = np.full(BANDS + 1, overall), np.zeros(BANDS + 1)
    limit = settings["max_level_change_db"]
    for band in settings["bands"]:
        scales[band] = scale_to(voice["band_tract_hz"][band], source_bands[band])
        gains_db[band] = np.clip(voice["band_level_db"][band] - source_levels[band], -limit, limit)
    hertz = np.fft.rfftfreq(GRAIN_SIZE, 1.0 / RATE_HZ)
    passed = np.array([_soft_step(hertz, edge) for edge in band_edges(voice["tract_hz"])])
    share = -np.diff(passed, axis=0, prepend=1.0, append=0.0)
    wanted = np.maximum.accumulate(hertz * (share.T @ (1.0 / scales)))
    # The highest frequencies close the gap to half the rate, as in vocal tract normalisation, so
    # that neither direction of the change leaves the top of the spectrum empty.
    half_rate = RATE_HZ / 2.0
    knee = 0.875 * half_rate * min(1.0, overall)
    is_top = hertz > knee
    wanted[is_top] = np.interp(hertz[is_top], [knee, half_rate], [knee / overall, half_rate])
    gain = 10.0 ** (share.T @ gains_db / 20.0)
    return wanted / hertz[1], gain


def _soft_step(hertz: np.ndarray, edge: float) -> np.ndarray:
    """Rise from 0 to 1 at an edge like a Hann window, over a tenth of the edge's frequency."""
    phase = np.clip((hertz - edge) / (edge / 10.0), -0.5, 0.5)
    return 0.5 + 0.5 * np.sin(np.pi * phase)


def _at_level(samples: np.ndarray) -> np.ndarray:
    level = np.sqrt(np.mean(samples**2))
    if level == 0.0:
        return samples
    wanted = REFERENCE_PRESSURE * 10.0 ** (LEVEL_DB / 20.0)
    return samples * min(wanted / level, PEAK / np.max(np.abs(samples)))
