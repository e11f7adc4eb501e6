"""Made-up speech for recognisers: every character is a short tone of its own pitch."""

from pathlib import Path

import numpy as np
import pandas as pd

from scripts.lib.audio import RATE_HZ, write_audio
from scripts.lib.manifest import write_manifest
from scripts.lib.provenance import file_digest

CHARACTERS = "ABC"


def say(text: str, seed: int = 0, character_s: float = 0.12) -> np.ndarray:
    """Return a tone per character and noise for a space, with a little noise throughout."""
    rng = np.random.default_rng(seed)
    time = np.arange(round(character_s * RATE_HZ)) / RATE_HZ
    parts = []
    for character in text:
        hz = 500 * 2 ** (CHARACTERS.find(character)) * rng.uniform(0.97, 1.03)
        tone = 0.3 * np.sin(2 * np.pi * hz * time) * np.hanning(len(time))
        parts.append(0 * time if character == " " else tone)
    samples = np.concatenate(parts)
    return (samples + rng.normal(0, 0.003, len(samples))).astype(np.float32)


def record(folder: Path, texts: list[str], subset: str = "train") -> pd.DataFrame:
    """Write a recording per text; return their manifest, also written to `folder/000.tsv`."""
    rows = []
    for number, text in enumerate(texts):
        speaker, gender = ("s1", "f") if number % 2 else ("s2", "m")
        path = folder / f"{speaker}-{number}.wav"
        samples = say(text, seed=number)
        write_audio(path, samples)
        rows.append(
            {
                "utterance": path.stem,
                "speaker": speaker,
                "gender": gender,
                "subset": subset,
                "path": str(path),
                "duration_s": len(samples) / RATE_HZ,
                "text": text,
                "sha256": file_digest(path),
            }
        )
    table = pd.DataFrame(rows)
    write_manifest(folder / "000.tsv", table)
    return table.sort_values("utterance", ignore_index=True)


def settings(epochs: int, **training: object) -> dict:
    """Return an entry of config/asr for a network that trains in a second."""
    masks = {"time_masks": 0, "time_frames": 0, "band_masks": 0, "band_bins": 0}
    return {
        "backend": "ctc",
        "training_data": ["made_up"],
        "units": {"kind": "characters", "characters": CHARACTERS},
        "features": {"mel_bins": 24, "low_hz": 20, "high_hz": 7600},
        "network": {
            "width": 32,
            "bottleneck": 12,
            "context": 1,
            "strides": [3, 3],
            "subsampling": 3,
            "dropout": 0.0,
            "bypass": 0.75,
        },
        "epochs": epochs,
        "training": {
            "batch_s": 4.0,
            "speeds": [1.0],
            "learning_rate": 0.01,
            "warmup_epochs": 1,
            "weight_decay": 0.01,
            "gradient_norm": 5.0,
            "constraint_steps": 4,
            "masks": masks,
            **training,
        },
        "decoding": {
            "beam": 16.0,
            "max_active": 1000,
            "lm_weights": [0.5],
            "insertion_penalties": [0.0],
        },
    }
