"""The card of a trained model: data, size, seed, versions, time and final figures."""

import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from scripts.lib.files import atomic_path

PACKAGES = ("numpy", "speechbrain", "torch", "torchaudio")


def data_summary(datasets: Mapping[str, pd.DataFrame]) -> dict[str, dict[str, float]]:
    """Return how much speech of how many people each part of the training data holds.

    Parameters
    ----------
    datasets
        Manifest of each dataset.
    """
    return {
        name: {
            "speakers": int(utterances["speaker"].nunique()),
            "utterances": len(utterances),
            "hours": round(float(utterances["duration_s"].sum()) / 3600, 3),
        }
        for name, utterances in datasets.items()
    }


def write_card(path: str | Path, facts: Mapping[str, Any], curve: pd.DataFrame) -> None:
    """Write a model's card; nothing but people may read it, because it tells times and versions.

    Parameters
    ----------
    path
        A YAML file.
    facts
        What is known of the training, as plain data.
    curve
        Its loss curve, whose last row holds the final figures.
    """
    versions = {name: version(name) for name in PACKAGES}
    final = {str(name): float(value) for name, value in curve.iloc[-1].items()}
    card = {
        **facts,
        "versions": {"python": platform.python_version(), **versions},
        "final": final,
    }
    with atomic_path(path) as temporary:
        temporary.write_text(yaml.safe_dump(card, sort_keys=False), encoding="utf-8")
