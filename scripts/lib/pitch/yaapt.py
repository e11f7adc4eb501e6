"""Track pitch with YAAPT (Zahorian and Hu, JASA 2008), as the VoicePrivacy challenges do."""

from collections.abc import Mapping

import numpy as np
from amfm_decompy.basic_tools import SignalObj
from amfm_decompy.pYAAPT import yaapt

from scripts.lib.audio import RATE_HZ
from scripts.lib.frames import HOP, trim

FRAME_MS, STEP_MS = 35.0, 10.0
FRAME = round(FRAME_MS * RATE_HZ / 1000)


def track(samples: np.ndarray, config: Mapping) -> np.ndarray:
    """Return pitch in Hz, float32 of shape (T,), exactly 0 where speech is not voiced.

    YAAPT's own first frame lies at 17.5 ms and its last one three before the end. Zeros before and
    after the recording move its frames onto the common grid and add those that are missing.

    Parameters
    ----------
    samples
        Speech at 16 kHz.
    config
        `low_hz`, `high_hz`: the range of pitch.
    """
    samples = np.asarray(trim(samples), dtype=np.float64)
    frames = len(samples) // HOP
    if not samples.any():
        return np.zeros(frames, dtype=np.float32)
    before = (FRAME - HOP) // 2
    padded = np.pad(samples, (before, FRAME + HOP))
    found = yaapt(
        SignalObj(padded, RATE_HZ),
        frame_length=FRAME_MS,
        frame_space=STEP_MS,
        f0_min=float(config["low_hz"]),
        f0_max=float(config["high_hz"]),
    )
    return found.samp_values[:frames].astype(np.float32)
