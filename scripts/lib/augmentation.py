"""Spoil speech as rooms, microphones and surroundings do, so that an attacker does not learn them.

Everything is made on the spot from a generator: no recordings of noise or rooms are needed.
"""

from collections.abc import Mapping

import numpy as np
from scipy.signal import fftconvolve

from scripts.lib.audio import RATE_HZ

# A microphone's curve is drawn at this many frequencies and straight between them.
CURVE_POINTS = 8
# How much louder the direct sound is than all of the echoes, in dB.
DIRECT_DB = (0.0, 15.0)


def augment(samples: np.ndarray, settings: Mapping, rng: np.random.Generator) -> np.ndarray:
    """Return speech of the same length with echoes, another colour, noise and another level.

    Parameters
    ----------
    samples
        Speech at 16 kHz.
    settings
        Probabilities `reverb`, `filter` and `noise`, ranges `rt60_s`, `filter_db` and `snr_db`,
        and the largest change of level, `gain_db`.
    rng
        Generator of this crop.
    """
    if rng.random() < settings["reverb"]:
        samples = reverberate(samples, rng.uniform(*settings["rt60_s"]), rng)
    if rng.random() < settings["filter"]:
        samples = recolour(samples, settings["filter_db"], rng)
    if rng.random() < settings["noise"]:
        samples = add_noise(samples, rng.uniform(*settings["snr_db"]), rng)
    level = 10 ** (rng.uniform(-settings["gain_db"], settings["gain_db"]) / 20)
    return (samples * level).astype(np.float32)


def reverberate(samples: np.ndarray, rt60_s: float, rng: np.random.Generator) -> np.ndarray:
    """Add echoes: noise that falls by 60 dB within `rt60_s` seconds.

    Examples
    --------
    >>> click = np.zeros(RATE_HZ, dtype=np.float32)
    >>> click[0] = 1.0
    >>> echo = reverberate(click, 0.3, np.random.default_rng(0))
    >>> bool(echo[0] == 1.0), len(echo) == len(click), bool(np.abs(echo[4800:]).max() < 1e-3)
    (True, True, True)
    """
    time = np.arange(1, round(rt60_s * RATE_HZ)) / RATE_HZ
    tail = rng.normal(size=len(time)) * 10 ** (-3 * time / rt60_s)
    share = 10 ** (-rng.uniform(*DIRECT_DB) / 20)
    response = np.concatenate([[1.0], share * tail / np.linalg.norm(tail)])
    return fftconvolve(samples, response)[: len(samples)]


def recolour(samples: np.ndarray, most_db: float, rng: np.random.Generator) -> np.ndarray:
    """Raise and lower frequencies along a random curve within `most_db` of 0 dB.

    Examples
    --------
    >>> tone = np.sin(2 * np.pi * 1000 * np.arange(RATE_HZ) / RATE_HZ)
    >>> coloured = recolour(tone, 6.0, np.random.default_rng(0))
    >>> bool(0.5 < np.abs(coloured).max() < 2.0)
    True
    """
    spectrum = np.fft.rfft(samples)
    # Points lie closer at low frequencies, as in hearing.
    places = np.linspace(0.0, 1.0, CURVE_POINTS) ** 2
    curve_db = rng.uniform(-most_db, most_db, CURVE_POINTS)
    gains = np.interp(np.linspace(0.0, 1.0, len(spectrum)), places, curve_db)
    return np.fft.irfft(spectrum * 10 ** (gains / 20), len(samples))


def add_noise(samples: np.ndarray, snr_db: float, rng: np.random.Generator) -> np.ndarray:
    """Add steady noise, anything from white to brown, at a signal-to-noise ratio.

    Examples
    --------
    >>> tone = np.sin(2 * np.pi * 100 * np.arange(RATE_HZ) / RATE_HZ)
    >>> noise = add_noise(tone, 20.0, np.random.default_rng(0)) - tone
    >>> round(float(10 * np.log10(np.mean(tone**2) / np.mean(noise**2))), 6)
    20.0
    """
    spectrum = np.fft.rfft(rng.normal(size=len(samples)))
    slope = rng.uniform(0.0, 1.0)
    spectrum[1:] *= np.arange(1, len(spectrum)) ** -slope
    noise = np.fft.irfft(spectrum, len(samples))
    power, noise_power = np.mean(np.square(samples)), np.mean(np.square(noise))
    return samples + noise * np.sqrt(power / noise_power) * 10 ** (-snr_db / 20)
