"""Vowels of a few made-up speakers, with everything a synthesiser is trained on."""

from pathlib import Path

import numpy as np
import pandas as pd
import soundfile

from scripts.lib.audio import RATE_HZ
from scripts.lib.embeddings import save_embeddings
from scripts.lib.excitation import harmonic_source, sample_pitch
from scripts.lib.feature_store import write_features
from scripts.lib.frames import HOP

VOWELS_HZ = ((300, 2300), (700, 1100), (450, 800))
VECTOR = 6


def make_speech(
    folder: Path, *, speakers: int = 3, utterances: int = 4, frames: int = 60, seed: int = 0
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """Write recordings and features; return the manifest and the files by kind.

    A speaker's formants and pitch are the common ones times a factor; the vector tells which.
    """
    rng = np.random.default_rng(seed)
    voices = rng.normal(size=(speakers, VECTOR))
    rows, pitch, content, vectors = [], [], [], {}
    for speaker, voice in enumerate(voices):
        factor = 1.0 + 0.25 * (speaker - (speakers - 1) / 2)
        for number in range(utterances):
            name = f"s{speaker}-u{number}"
            length = frames + 7 * number
            f0 = factor * (140 + 20 * np.sin(np.arange(length) / 9 + number))
            f0[: 5 + number] = 0.0
            vowel = rng.integers(0, len(VOWELS_HZ), -(-length // 15)).repeat(15)[:length]
            samples = _render(f0, vowel, factor, rng)
            path = folder / f"{name}.wav"
            soundfile.write(path, samples, RATE_HZ, subtype="PCM_16")
            rows.append(
                {
                    "utterance": name,
                    "speaker": f"s{speaker}",
                    "gender": "f",
                    "subset": "train",
                    "path": str(path),
                    "duration_s": len(samples) / RATE_HZ,
                    "text": "",
                    "sha256": name,
                }
            )
            pitch.append((name, f0.astype(np.float32)))
            content.append((name, np.eye(len(VOWELS_HZ), dtype=np.float32)[vowel]))
            vectors[name] = voice + 0.05 * rng.normal(size=VECTOR)
    write_features(folder / "pitch.npz", pitch)
    write_features(folder / "content.npz", content)
    save_embeddings(folder / "vectors.npz", vectors)
    files = {kind: [str(folder / f"{kind}.npz")] for kind in ("pitch", "content", "vectors")}
    return pd.DataFrame(rows), files


def _render(
    f0: np.ndarray, vowel: np.ndarray, factor: float, rng: np.random.Generator
) -> np.ndarray:
    source = harmonic_source(f0) + 0.1 * rng.standard_normal(len(f0) * HOP)
    samples = np.zeros_like(source)
    spectrum = np.fft.rfft(source)
    hertz = np.fft.rfftfreq(len(source), 1 / RATE_HZ)
    for kind, formants in enumerate(VOWELS_HZ):
        gain = sum(1 / (1 + ((hertz - factor * f) / 90) ** 2) for f in formants)
        filtered = np.fft.irfft(spectrum * gain, len(source))
        samples += np.repeat(vowel == kind, HOP) * filtered
    quiet = np.where(sample_pitch(f0) > 0, 1.0, 0.1)
    samples = samples * quiet + 1e-4 * rng.standard_normal(len(samples))
    return (0.3 * samples / np.abs(samples).max()).astype(np.float32)
