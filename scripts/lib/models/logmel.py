"""Log-mel features as Kaldi computes them."""

from collections.abc import Mapping, Sequence

import numpy as np
import soxr
import torch
from torchaudio.compliance import kaldi

from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.models.frame_store import FrameStore, in_parallel

FRAME_SHIFT_S = 0.01


def log_mel(samples: np.ndarray, features: Mapping) -> torch.Tensor:
    """Return features of shape (frames, mel_bins), their mean over time removed.

    Frames of 25 ms every 10 ms, Povey window, no dither, so that a file has one set of features.

    Parameters
    ----------
    samples
        Speech at 16 kHz in [-1, 1).
    features
        `mel_bins`, `low_hz`, `high_hz`.

    Examples
    --------
    >>> settings = {"mel_bins": 80, "low_hz": 20, "high_hz": 7600}
    >>> noise = np.random.default_rng(0).uniform(-0.5, 0.5, RATE_HZ).astype(np.float32)
    >>> tuple(log_mel(noise, settings).shape)
    (100, 80)
    """
    # Kaldi's scale is that of 16-bit integers; it sets where the log's floor lies.
    waveform = torch.from_numpy(samples)[None] * 32768.0
    energies = kaldi.fbank(
        waveform,
        num_mel_bins=features["mel_bins"],
        low_freq=features["low_hz"],
        high_freq=features["high_hz"],
        sample_frequency=RATE_HZ,
        dither=0.0,
        snip_edges=False,
    )
    return energies - energies.mean(dim=0, keepdim=True)


class FeatureStore(FrameStore):
    """Features of all utterances of a training, one array per utterance and speed.

    Parameters
    ----------
    paths
        One audio file per utterance.
    features
        Settings of `log_mel`.
    speeds
        Each utterance is stored once per factor; 1.1 is a tenth faster and higher.
    threads
        How many files are read at a time.
    """

    def __init__(
        self,
        paths: Sequence[str],
        features: Mapping,
        *,
        speeds: Sequence[float],
        threads: int,
    ) -> None:
        self.keys = [(number, speed) for number in range(len(paths)) for speed in speeds]

        def extract(key: tuple[int, float]) -> np.ndarray:
            samples = change_speed(read_audio(paths[key[0]]), key[1])
            return log_mel(samples, features).numpy()

        super().__init__(in_parallel(extract, self.keys, threads), features["mel_bins"])


def change_speed(samples: np.ndarray, speed: float) -> np.ndarray:
    """Play faster (above 1) or slower, which moves pitch and formants by the same factor.

    Examples
    --------
    >>> len(change_speed(np.zeros(1100, dtype=np.float32), 1.1))
    1000
    """
    if speed == 1.0:
        return samples
    return soxr.resample(samples, RATE_HZ * speed, RATE_HZ).astype(np.float32)
