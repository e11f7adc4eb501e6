"""The published curves of the legal framework as the tidy rows that computed curves have."""

from pathlib import Path

import pandas as pd

from scripts.lib.legal.attackers import ATTACKERS
from scripts.lib.legal.chance import singling_out_floor

# The paper anonymizes with baseline B1 of 2024; its semi-informed attacker knows B1.a of 2022.
SYSTEM, SIMILAR = "b1_2024", "b1_2022a"
CALIBRATION = 9
# Repetitions behind a point: folds for Singling Out, else draws of the enrolled speakers.
REPEATS = {"singling_out": 10, "linkability": 5, "one_minus_eer": 5}


def read_curves(path: str | Path) -> pd.DataFrame:
    """Return one row per point of the published curves, values as they were shipped.

    Parameters
    ----------
    path
        CSV with columns metric, attacker, L, speaker_role, speakers, mean, std and chance.
    """
    printed = pd.read_csv(path, dtype=str, keep_default_na=False)
    names = printed["attacker"].str.replace("-", "_")
    unknown = sorted(set(names) - set(ATTACKERS))
    if unknown:
        raise ValueError(f"{path}: unknown attacker {unknown[0]!r}; known: {', '.join(ATTACKERS)}")
    held = [ATTACKERS[name].condition(SYSTEM, SIMILAR) for name in names]
    # Every standard deviation of Singling Out is zero: none was recorded.
    recorded = printed["metric"] != "singling_out"
    return pd.DataFrame(
        {
            "trained_on": [condition["trained_on"] for condition in held],
            "seed": "0",
            "system": [condition["system"] for condition in held],
            "metric": printed["metric"],
            "length": printed["L"],
            "speakers": printed["speakers"],
            "value": printed["mean"],
            "spread": printed["std"].where(recorded, ""),
            "repeats": printed["metric"].map(REPEATS),
            "chance": printed["chance"],
            "floor": [
                singling_out_floor(CALIBRATION, int(size)) if metric == "singling_out" else ""
                for metric, size in zip(printed["metric"], printed["speakers"], strict=True)
            ],
            "definition": "as shipped with the package of the paper",
        }
    )
