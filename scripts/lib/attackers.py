"""Judge whether attackers are strong enough for what they say about privacy.

docs/attackers.md states the rules and why they are what they are.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import pandas as pd

from scripts.lib.manifest import read_table
from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM

# Half of the way from perfect recognition to chance.
HIGHEST_ORIGINAL_EER = 0.25
LOWEST_ACCURACY = 0.5


class Rate(NamedTuple):
    """An EER as a fraction, the ends of its interval, and its spread between training seeds."""

    value: float
    low: float
    high: float
    spread: float
    seeds: int


class Weakness(NamedTuple):
    """Why an attacker's results are no evidence of privacy; empty names stand for all."""

    attacker: str
    system: str
    dataset: str
    gender: str
    reason: str

    def concerns(self, cell: Mapping) -> bool:
        """Return whether a cell of a table rests on the weak attacker."""
        wanted = {"system": self.system, "dataset": self.dataset, "gender": self.gender}
        return cell.get("attacker") == self.attacker and all(
            not value or cell.get(name) == value for name, value in wanted.items()
        )


class Evidence:
    """What is known about the attackers of a table or a study.

    Parameters
    ----------
    attackers
        Attack models from the weakest to the strongest, by name, each with its `asv_training`.
    metrics
        Metric rows of score metrics.
    curves
        Which model each loss curve belongs to (`trained_on`, `seed`), and the curve.
    """

    def __init__(
        self,
        attackers: Mapping[str, Mapping],
        metrics: pd.DataFrame,
        curves: Sequence[tuple[Mapping, pd.DataFrame]],
    ):
        self.attackers, self.curves = attackers, curves
        self.rates = _rates(metrics)

    def weaknesses(self) -> list[Weakness]:
        """Return every reason to distrust an attacker, without repetition."""
        return [*self._deaf(), *self._untrained(), *self._out_of_order()]

    def _deaf(self) -> list[Weakness]:
        """Models that hardly recognise original speech cannot show that anonymization works."""
        found = []
        for (attacker, _, dataset, gender), rate in self.rates.items():
            if attacker != REFERENCE_ATTACKER or _upper(rate) <= HIGHEST_ORIGINAL_EER:
                continue
            reason = f"EER of original speech may be {100 * _upper(rate):.1f} %"
            found += [
                Weakness(name, "", dataset, gender, reason)
                for name, entry in self.attackers.items()
                if entry["asv_training"] == "original"
            ]
        return found

    def _untrained(self) -> list[Weakness]:
        found = []
        for ids, curve in self.curves:
            original = ids["trained_on"] == REFERENCE_SYSTEM
            # Anonymization may rightly spoil validation, but never the fit to the training set.
            kind = "valid_accuracy" if original else "train_accuracy"
            accuracy = float(curve[kind].iloc[-1])
            if accuracy >= LOWEST_ACCURACY:
                continue
            word = "validation" if original else "training"
            reason = f"{word} accuracy is {100 * accuracy:.0f} % (seed {ids['seed']})"
            for name, entry in self.attackers.items():
                if (entry["asv_training"] == "original") == original:
                    system = "" if original else ids["trained_on"]
                    found.append(Weakness(name, system, "", "", reason))
        return found

    def _out_of_order(self) -> list[Weakness]:
        names = list(self.attackers)
        found = []
        for weaker, stronger in pairwise(names):
            for (attacker, system, dataset, gender), rate in self.rates.items():
                other = self.rates.get((weaker, system, dataset, gender))
                if attacker == stronger and other and _lower(rate) > _upper(other):
                    reason = (
                        f"EER {100 * rate.value:.1f} % lies above the {100 * other.value:.1f} % of "
                        f"the {weaker.replace('_', '-')} attacker, beyond both intervals"
                    )
                    found.append(Weakness(stronger, system, dataset, gender, reason))
        return found


def read_evidence(config: Mapping, metrics: Sequence[str], curves: Sequence[str]) -> Evidence:
    """Read metric rows and loss curves.

    Parameters
    ----------
    config
        `attackers` from the weakest to the strongest, and which model each of the `curves` is of.
    metrics, curves
        Files.
    """
    rows = [read_table(path) for path in metrics]
    attackers = {entry["name"]: entry for entry in config["attackers"]}
    pairs = zip(config["curves"], curves, strict=True)
    return Evidence(
        attackers,
        pd.concat(rows, ignore_index=True) if rows else pd.DataFrame(),
        [(ids, read_table(path)) for ids, path in pairs],
    )


def _rates(metrics: pd.DataFrame) -> dict[tuple[str, str, str, str], Rate]:
    rows = metrics[metrics["metric"] == "eer"].copy() if len(metrics) else metrics
    if rows.empty:
        return {}
    for name in ("value", "low", "high"):
        rows[name] = pd.to_numeric(rows[name])
    # Tables may share files: a row that comes twice is still one training seed.
    names = ["attacker", "system", "dataset", "gender"]
    rows = rows.drop_duplicates([*names, "seed"])
    return {
        key: Rate(
            float(group["value"].mean()),
            float(group["low"].mean()),
            float(group["high"].mean()),
            float(group["value"].std(ddof=1)) if len(group) > 1 else 0.0,
            len(group),
        )
        for key, group in rows.groupby(names, sort=False)
    }


def _upper(rate: Rate) -> float:
    return rate.value if pd.isna(rate.high) else rate.high


def _lower(rate: Rate) -> float:
    return rate.value if pd.isna(rate.low) else rate.low
