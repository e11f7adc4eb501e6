"""Log-mel features as Kaldi computes them, kept on disk for the epochs of a training."""

import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import soxr
import torch
from torchaudio.compliance import kaldi

from scripts.lib.audio import RATE_HZ, read_audio

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


class FeatureStore:
    """Features of all utterances of a training, one array per utterance and speed.

    They lie in an unnamed file in the folder for temporary files (TMPDIR), mapped into memory: a
    small corpus stays in the page cache, a large one need not fit (with 80 bins a second of speech
    takes 32 kB per speed), and a killed job leaves nothing behind.

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
        self._bins = features["mel_bins"]
        starts = [0]
        with tempfile.TemporaryFile() as file, ThreadPoolExecutor(threads) as pool:

            def extract(key: tuple[int, float]) -> np.ndarray:
                samples = change_speed(read_audio(paths[key[0]]), key[1])
                return log_mel(samples, features).numpy()

            for block in range(0, len(self.keys), 256):
                for array in pool.map(extract, self.keys[block : block + 256]):
                    file.write(np.ascontiguousarray(array, dtype=np.float32).tobytes())
                    starts.append(starts[-1] + len(array))
            file.flush()
            shape = (starts[-1], self._bins)
            self._frames = np.memmap(file, dtype=np.float32, mode="r", shape=shape)
        self._starts = np.array(starts)

    def __len__(self) -> int:
        return len(self.keys)

    def lengths(self) -> np.ndarray:
        """Return the number of frames of each entry."""
        return np.diff(self._starts)

    def __getitem__(self, index: int) -> np.ndarray:
        """Return a copy of one entry, of shape (frames, mel_bins)."""
        return np.array(self._frames[self._starts[index] : self._starts[index + 1]])


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
