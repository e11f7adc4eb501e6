"""A voice whose profile is known: a neutral tube, pulses at a known rate, regular syllables."""

import numpy as np
from scipy.signal import lfilter


def neutral_voice(
    seconds=3.0, pitch_hz=120.0, tract_hz=558.0, syllables_per_s=4.0, pause=True, rate_hz=16000
):
    """Return syllables of one schwa with resonances at odd multiples of `tract_hz`."""
    n = round(seconds * rate_hz)
    t = np.arange(n) / rate_hz
    contour = pitch_hz * (1 + 0.04 * np.sin(2 * np.pi * 1.3 * t))
    source = np.diff(np.floor(np.cumsum(contour) / rate_hz), prepend=0.0)
    source = lfilter([1.0], [1.0, -0.97], source)
    for k, width in enumerate((70, 90, 120, 160, 200), start=1):
        radius = np.exp(-np.pi * width / rate_hz)
        angle = 2 * np.pi * (2 * k - 1) * tract_hz / rate_hz
        source = lfilter([1.0], [1.0, -2 * radius * np.cos(angle), radius**2], source)
    level_db = -10 + 10 * np.cos(2 * np.pi * (syllables_per_s * t - 0.5))
    speech = source * 10 ** (level_db / 20)
    speech += 1e-5 * np.abs(speech).max() * np.random.default_rng(0).normal(size=n)
    if pause:
        speech[: rate_hz // 2] *= 1e-4
    return (0.5 * speech / np.abs(speech).max()).astype(np.float32)
