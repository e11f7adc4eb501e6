"""Made-up archives of the repositories that corpora come from."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import soundfile

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def make_archive(path: Path, files: Mapping[str, bytes], commit: str = COMMIT) -> Path:
    """Write a zip as git does: one folder at the top, the commit as its comment."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.comment = commit.encode()
        for name, content in {"LICENSE": b"free\n", **files}.items():
            archive.writestr(f"repository-{commit}/{name}", content)
    return path


def wav(samples: np.ndarray, rate_hz: int) -> bytes:
    """Return a 16-bit wav file."""
    stream = io.BytesIO()
    soundfile.write(stream, samples, rate_hz, subtype="PCM_16", format="WAV")
    return stream.getvalue()


def spoken_digit(digit: int, seed: int) -> np.ndarray:
    """Return 0.3 s of tone in 0.8 s of faint noise at 48 kHz."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 1e-3, 38400)
    time = np.arange(14400) / 48000
    samples[12000:26400] += 0.1 * np.sin(2 * np.pi * (200 + 40 * digit) * time)
    return samples


def digit_files(speakers: Mapping[str, str], takes: int) -> dict[str, bytes]:
    """Return recordings of all digits of some speakers (number to gender), and who they are."""
    meta = {number: {"gender": gender} for number, gender in speakers.items()}
    files = {"data/audioMNIST_meta.txt": json.dumps(meta).encode()}
    for number in speakers:
        for digit in range(10):
            for take in range(takes):
                samples = spoken_digit(digit, seed=1000 * int(number) + 10 * take + digit)
                files[f"data/{number}/{digit}_{number}_{take}.wav"] = wav(samples, 48000)
    return files
