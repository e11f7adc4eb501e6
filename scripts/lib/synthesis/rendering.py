"""Turn sentences into recordings: espeak-ng's speech at 16 kHz, with a level and a background."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import espeakng_loader
import numpy as np
import soxr
from scipy.signal import lfilter

from scripts.lib.audio import RATE_HZ
from scripts.lib.synthesis import espeak

ESPEAK_RATE_HZ = 22_050
# A recording with a higher peak is turned down to it instead of being clipped.
HIGHEST_PEAK = 0.95
# espeak-ng keeps the path of its data in a buffer of 160 characters.
LONGEST_DATA_PATH = 150


@dataclass(frozen=True)
class Sentence:
    """What to say and with which voice.

    Parameters
    ----------
    text
        Words.
    voice
        Content of an espeak-ng voice file of language `variant`.
    accent
        Name of an espeak-ng language, for example `en-us`.
    rate_wpm
        Words per minute, between 80 and 450.
    seed
        Seed of espeak-ng's own random numbers, used for breath, flutter and roughness.
    """

    text: str
    voice: str
    accent: str
    rate_wpm: int
    seed: int


@dataclass(frozen=True)
class Conditions:
    """How a sentence is recorded.

    Parameters
    ----------
    level_dbfs
        Root mean square of the speech, relative to full scale.
    snr_db
        Level of the speech relative to that of the background noise.
    noise_pole
        Pole in [0, 1) of the filter that colours the noise: 0 is white, 1 would be brown.
    """

    level_dbfs: float
    snr_db: float
    noise_pole: float


def speak(sentences: Sequence[Sentence]) -> list[np.ndarray]:
    r"""Return the speech of each sentence as float32 samples at 22.05 kHz.

    A sentence sounds the same whatever is spoken before, after or elsewhere.

    Examples
    --------
    >>> voice = "language variant\nname example\npitch 100 140\n"
    >>> hello, again = speak([Sentence("hello", voice, "en-us", 170, seed=1)] * 2)
    >>> 0.2 < len(hello) / ESPEAK_RATE_HZ < 2, bool(np.array_equal(hello, again))
    (True, True)
    """
    voices = {sentence.voice for sentence in sentences}
    names = {voice: f"voice{number}" for number, voice in enumerate(sorted(voices))}
    with _data_folder({name: voice for voice, name in names.items()}) as data:
        job = {
            "library": espeakng_loader.get_library_path(),
            "data": str(data),
            "rate_hz": ESPEAK_RATE_HZ,
            "sentences": [
                {
                    "text": sentence.text,
                    "voice": names[sentence.voice],
                    "accent": sentence.accent,
                    "rate_wpm": sentence.rate_wpm,
                    "seed": sentence.seed,
                }
                for sentence in sentences
            ],
        }
        # Without site-packages the process starts, and is forked for each sentence, quickly.
        command = [sys.executable, "-I", "-S", espeak.__file__]
        done = subprocess.run(command, input=json.dumps(job).encode(), capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"espeak-ng failed: {done.stderr.decode(errors='replace').strip()}")
    return list(_unpack(done.stdout, len(sentences)))


def record(
    speech: np.ndarray, conditions: Conditions, rng: np.random.Generator, rate_hz: int
) -> np.ndarray:
    """Return speech at 16 kHz, set to a level and mixed with coloured noise.

    Parameters
    ----------
    speech
        Samples of any level, not silent.
    conditions
        Level and background.
    rng
        Source of the noise.
    rate_hz
        Sampling rate of `speech`.

    Examples
    --------
    >>> tone = np.sin(np.arange(22050) / 10).astype(np.float32)
    >>> quiet = record(tone, Conditions(-20.0, 60.0, 0.0), np.random.default_rng(0), 22050)
    >>> len(quiet), round(float(np.sqrt(np.mean(quiet**2))), 2)
    (16000, 0.1)
    """
    samples = soxr.resample(speech, rate_hz, RATE_HZ, quality="HQ").astype(np.float64)
    samples *= 10 ** (conditions.level_dbfs / 20) / _rms(samples)
    noise = lfilter([1.0], [1.0, -conditions.noise_pole], rng.standard_normal(len(samples)))
    noise *= _rms(samples) / _rms(noise) * 10 ** (-conditions.snr_db / 20)
    mixed = samples + noise
    return mixed * min(1.0, HIGHEST_PEAK / np.abs(mixed).max())


def _rms(samples: np.ndarray) -> float:
    return float(np.sqrt(np.mean(samples**2)))


@contextmanager
def _data_folder(voices: dict[str, str]) -> Iterator[Path]:
    """Yield a copy of espeak-ng's data, by links, that holds these voices instead of its own."""
    original = Path(espeakng_loader.get_data_path())
    with tempfile.TemporaryDirectory(prefix="voices-") as folder:
        if len(os.fsencode(folder)) > LONGEST_DATA_PATH:
            raise ValueError(
                f"{folder}: longer than the {LONGEST_DATA_PATH} characters espeak-ng can use; "
                "set the environment variable TMPDIR to a shorter path"
            )
        for entry in original.iterdir():
            if entry.name != "voices":
                Path(folder, entry.name).symlink_to(entry)
        variants = Path(folder, "voices", "!v")
        variants.mkdir(parents=True)
        for name, voice in voices.items():
            variants.joinpath(name).write_text(voice, encoding="ascii")
        yield Path(folder)


def _unpack(answers: bytes, count: int) -> Iterator[np.ndarray]:
    start = 0
    for _ in range(count):
        end = start + 4 + int.from_bytes(answers[start : start + 4], "little")
        yield np.frombuffer(answers[start + 4 : end], dtype="<i2").astype(np.float32) / 32_768
        start = end
