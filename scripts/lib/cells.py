"""Look metric rows up by what they describe: one value per cell, averaged over training seeds."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM, has_attacker

# Metrics are stored as fractions; these are printed in percent.
IN_PERCENT = frozenset({"eer", "eer_interpolated", "wer", "uar", "uar_fold", "de_id"})


class Value(NamedTuple):
    """A metric in its printed unit with the ends of its interval, which may be missing."""

    value: float
    low: float
    high: float


class Cells:
    """Metric rows of a figure, each cell in its printed unit.

    Parameters
    ----------
    metrics
        Tidy rows with columns metric, system, attacker, dataset, gender, value, low and high.
    origin
        Name of the figure, for messages.
    """

    def __init__(self, metrics: pd.DataFrame, origin: str):
        self._origin = origin
        names = ["metric", "system", "attacker", "dataset", "gender"]
        found = metrics.reindex(columns=[*names, "value", "low", "high"])
        found[names] = found[names].fillna("")
        for name in ("value", "low", "high"):
            found[name] = pd.to_numeric(found[name])
        self._values = found.groupby(names)[["value", "low", "high"]].mean().to_dict("index")

    def value(
        self, metric: str, system: str, attacker: str | None, dataset: str, gender: str
    ) -> Value:
        """Return one cell; original speech is met by the attacker `original` only."""
        if not has_attacker(metric):
            attacker = ""
        elif system == REFERENCE_SYSTEM:
            attacker = REFERENCE_ATTACKER
        cell = self._values.get((metric, system, attacker, dataset, gender))
        if cell is None:
            by = f", attacker {attacker}" if attacker else ""
            raise ValueError(
                f"{self._origin}: no {metric} of system {system}{by}, {dataset} {gender}"
            )
        scale = 100.0 if metric in IN_PERCENT else 1.0
        return Value(*(scale * cell[name] for name in ("value", "low", "high")))


def half_widths(cell: Value) -> np.ndarray | None:
    """Return the distances to both ends of an interval, shape (2, 1), or None without one.

    Examples
    --------
    >>> half_widths(Value(3.0, 2.0, 5.0)).ravel().tolist()
    [1.0, 2.0]
    """
    if np.isnan(cell.low) or np.isnan(cell.high):
        return None
    ends = [max(0.0, cell.value - cell.low), max(0.0, cell.high - cell.value)]
    return np.array(ends)[:, None]


def metric_name(display: Mapping, metric: str) -> str:
    """Return the heading of a metric with its unit, for an axis.

    Examples
    --------
    >>> metric_name({"metrics": {"eer": {"label": "EER", "unit": "%"}}}, "eer")
    'EER (%)'
    """
    shown = display["metrics"][metric]
    label = shown.get("latex", shown["label"])
    return f"{label} ({shown['unit']})" if shown["unit"] else label
