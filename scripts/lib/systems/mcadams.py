"""McAdams anonymization: warped pole angles (B2), optionally with shrunk pole radii (D1).

The pseudo-voice is one number, alpha: fixed (VoicePrivacy 2020) or drawn uniformly per speaker
(2022) or per utterance (2024). The signal path is `lpc_warp`, followed by peak normalisation.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from scripts.lib.audio import RATE_HZ
from scripts.lib.systems.lpc import lpc_warp
from scripts.lib.systems.ranges import Generator, value_from

PEAK = 32766
SILENCE = 2.0**-17
"""A quarter of a 16-bit step: output below it is digital silence plus the filter's own offset."""


def draw(rng: Generator, params: Mapping[str, Any]) -> dict[str, float]:
    """Choose alpha: a number is taken as it is, `{"uniform": [low, high]}` costs one draw.

    Examples
    --------
    >>> draw(np.random.default_rng(0), {"alpha": 0.8})
    {'alpha': 0.8}
    >>> voice = draw(np.random.default_rng(4284258105), {"alpha": {"uniform": [0.5, 0.9]}})
    >>> round(voice["alpha"], 10)  # the first value of VoicePrivacy 2024
    0.6875880726
    """
    return {"alpha": value_from(rng, params["alpha"])}


def process(
    samples: np.ndarray, voice: Mapping[str, float], params: Mapping[str, Any]
) -> np.ndarray:
    """Anonymize one utterance.

    Parameters
    ----------
    samples
        Waveform of shape (n,) at 16 kHz, in [-1, 1].
    voice
        The result of `draw`.
    params
        `rho` (1 for B2, below 1 for D1), `lpc_order`, `window_ms`, `hop_ms` and
        `skip_first_frame` (true like the script of 2020, false like that of 2024); each has the
        challenge's value by default.

    Returns
    -------
    np.ndarray
        int16 waveform of shape (n,), scaled to a peak of 32766 and truncated toward zero. Silence
        stays silence.

    Examples
    --------
    >>> noise = np.random.default_rng(0).uniform(-0.1, 0.1, 1600)
    >>> result = process(noise, {"alpha": 0.8}, {})
    >>> len(result), int(np.abs(result).max())
    (1600, 32766)
    """
    signal = lpc_warp(
        samples,
        alpha=voice["alpha"],
        rho=params.get("rho", 1.0),
        order=params.get("lpc_order", 20),
        window=round(params.get("window_ms", 20) * RATE_HZ / 1000),
        hop=round(params.get("hop_ms", 10) * RATE_HZ / 1000),
        skip_first_frame=params.get("skip_first_frame", False),
    )
    peak = np.max(np.abs(signal), initial=0.0)
    # The challenge scripts would blow up the offset of a silent file to full scale.
    if peak < SILENCE:
        return np.zeros(len(signal), dtype=np.int16)
    return (signal / peak * PEAK).astype(np.int16)
