"""The five orderings of the VoicePrivacy 2020 results, judged system by system.

Every system's figure is the unweighted mean over genders and datasets, as in the published
calibration targets. The interval of such a mean is taken as the mean of the intervals, which is
wider than it need be: the cells are not independent.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

import pandas as pd

from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM

# How each quantity is stored: metric, attacker, factor to the printed unit.
QUANTITIES = {
    "oa": ("eer", "ignorant", 100.0),
    "aa": ("eer", "lazy_informed", 100.0),
    "semi": ("eer", "semi_informed", 100.0),
    "g_vd": ("g_vd", "", 1.0),
}
TITLES = {
    1: "Ignorant attacker: pseudo-voices of the chain, then changed voices, then original speech",
    2: "Lazy-informed attacker: K2 near original speech, generated and erased voices highest",
    3: "Semi-informed attacker: every system drops, M1 and O1 hold best, B2 and K2 collapse",
    4: "Voice distinctiveness: K2 and I1 near none lost, some lost by B2, D1, M1c2 and M1c4, "
    "most by the chain, S2 lowest",
    5: "Routing: the acoustic model's vector decides the voice, the vocoder's hardly matters",
}
PSEUDO_VOICES = (
    "a1", "a2", "b1", "k2", "m1", "m1c1", "m1c3", "o1", "o1c1", "s2", "s1", "s1c1", "s2c1",
)  # fmt: skip
CHANGED_VOICES = ("b2", "d1", "i1", "m1c2", "m1c4")
MOST_DIVERSE = ("o1", "o1c1", "s2", "s2c1")
HOLD_BEST, COLLAPSE = ("m1", "o1"), ("b2", "k2")
KEEP_DISTINCT, MILD = ("k2", "i1"), ("b2", "d1", "m1c2", "m1c4")
# Routed systems, those they resemble, and the largest difference of their EERs.
ALIKE = (("m1c3", "b1", 5.0), ("m1c4", "m1c2", 8.0))
NEAR_ORIGINAL = 5.0
B1_IGNORANT = (40.0, 60.0)
COPY_BELOW_B1 = 15.0


@dataclass(frozen=True)
class Estimate:
    """A figure in its printed unit, the ends of its interval, and its value in each cell."""

    value: float
    low: float
    high: float
    cells: Mapping[tuple[str, str], float] = field(default_factory=dict)

    def minus(self, other: "Estimate") -> "Estimate":
        """Return the difference; its interval holds every difference of the two intervals."""
        shared = [cell for cell in self.cells if cell in other.cells]
        return Estimate(
            self.value - other.value,
            self.low - other.high,
            self.high - other.low,
            {cell: self.cells[cell] - other.cells[cell] for cell in shared},
        )


@dataclass(frozen=True)
class Check:
    """One claim of an ordering about one system.

    Parameters
    ----------
    ordering, system
        Number of the ordering, and whom the claim is about.
    quantity
        One of `QUANTITIES`.
    against
        The other system, or empty for a claim about a figure itself.
    figure
        The figure or the difference that has to lie in the range.
    least, most
        The range.
    """

    ordering: int
    system: str
    quantity: str
    against: str
    figure: Estimate
    least: float = -inf
    most: float = inf

    @property
    def holds(self) -> bool:
        """Return whether the figure lies in the range."""
        return self.least <= self.figure.value <= self.most

    @property
    def certain(self) -> bool:
        """Return whether the whole interval says the same as the figure."""
        inside = self.least <= self.figure.low and self.figure.high <= self.most
        outside = self.figure.high < self.least or self.figure.low > self.most
        return inside if self.holds else outside

    @property
    def verdict(self) -> str:
        """Return what the numbers say, in words."""
        word = "holds" if self.holds else "fails"
        return word if self.certain else f"{word}, within the intervals"

    @property
    def broken_cells(self) -> list[tuple[str, str]]:
        """Return the datasets and genders whose own value lies outside the range."""
        return [
            cell
            for cell, value in self.figure.cells.items()
            if not self.least <= value <= self.most
        ]


Figures = Mapping[tuple[str, str], Estimate]


def figures(metrics: pd.DataFrame) -> dict[tuple[str, str], Estimate]:
    """Return the figure of each system and quantity: means over seeds, then over the cells.

    Parameters
    ----------
    metrics
        Metric rows with columns metric, system, dataset, gender, value, low, high, and attacker
        and seed where the metric has them. A missing interval counts as none.
    """
    rows = metrics.drop_duplicates().copy()
    for name in ("value", "low", "high"):
        rows[name] = pd.to_numeric(rows[name])
    for name in ("low", "high"):
        rows[name] = rows[name].fillna(rows["value"])
    found = {}
    for quantity, (metric, attacker, scale) in QUANTITIES.items():
        part = rows[rows["metric"] == metric]
        if attacker:
            reference = part["system"] == REFERENCE_SYSTEM
            part = part[
                (part["attacker"] == attacker)
                | (reference & (part["attacker"] == REFERENCE_ATTACKER))
            ]
        keys = ["system", "dataset", "gender"]
        cells = part.groupby(keys, sort=False)[["value", "low", "high"]].mean() * scale
        for system, own in cells.groupby(level="system", sort=False):
            values = {(dataset, gender): v for (_, dataset, gender), v in own["value"].items()}
            found[system, quantity] = Estimate(*own.mean(), cells=values)
    return found


def judge(found: Figures) -> list[Check]:
    """Return every claim of the five orderings that the figures allow to judge."""
    rules = (_ignorant, _lazy_informed, _semi_informed, _distinctiveness, _routing)
    return [check for rule in rules for check in rule(found)]


def unjudged(found: Figures, checks: Sequence[Check]) -> list[str]:
    """Return the systems with figures that no claim is about, and the absent ones."""
    about = {check.system for check in checks}
    systems = dict.fromkeys([*PSEUDO_VOICES, *CHANGED_VOICES, *(name for name, _ in found)])
    return [name for name in systems if name not in about and name != REFERENCE_SYSTEM]


def _ignorant(found: Figures) -> Iterator[Check]:
    for system in PSEUDO_VOICES:
        yield from _above(found, 1, system, "oa", _highest(found, "oa", CHANGED_VOICES))
    for system in CHANGED_VOICES:
        yield from _above(found, 1, system, "oa", REFERENCE_SYSTEM)
    if ("b1", "oa") in found:
        yield Check(1, "b1", "oa", "", found["b1", "oa"], *B1_IGNORANT)


def _lazy_informed(found: Figures) -> Iterator[Check]:
    yield from _between(found, 2, "k2", "aa", REFERENCE_SYSTEM, -inf, NEAR_ORIGINAL)
    others = [*PSEUDO_VOICES, *CHANGED_VOICES]
    rest = [system for system in others if system not in MOST_DIVERSE]
    for system in MOST_DIVERSE:
        yield from _above(found, 2, system, "aa", _highest(found, "aa", rest))


def _semi_informed(found: Figures) -> Iterator[Check]:
    everyone = [name for name, quantity in found if quantity == "semi" and name != REFERENCE_SYSTEM]
    for system in everyone:
        if (system, "aa") in found:
            drop = found[system, "aa"].minus(found[system, "semi"])
            yield Check(3, system, "drop", "", drop, least=0.0)
    rest = [name for name in everyone if name not in HOLD_BEST]
    for system in HOLD_BEST:
        yield from _above(found, 3, system, "semi", _highest(found, "semi", rest))
    rest = [name for name in everyone if name not in COLLAPSE]
    for system in COLLAPSE:
        yield from _below(found, 3, system, "semi", _lowest(found, "semi", rest))


def _distinctiveness(found: Figures) -> Iterator[Check]:
    chain = [system for system in PSEUDO_VOICES if system not in KEEP_DISTINCT]
    for system in KEEP_DISTINCT:
        yield from _above(found, 4, system, "g_vd", _highest(found, "g_vd", MILD))
    for system in MILD:
        yield from _above(found, 4, system, "g_vd", _highest(found, "g_vd", chain))
    everyone = [*PSEUDO_VOICES, *CHANGED_VOICES]
    rest = [system for system in everyone if system != "s2"]
    yield from _below(found, 4, "s2", "g_vd", _lowest(found, "g_vd", rest))


def _routing(found: Figures) -> Iterator[Check]:
    for system, like, most in ALIKE:
        for quantity in ("oa", "aa"):
            yield from _between(found, 5, system, quantity, like, -most, most)
    yield from _between(found, 5, "m1c2", "oa", "b1", -inf, -COPY_BELOW_B1)


def _between(
    found: Figures,
    ordering: int,
    system: str,
    quantity: str,
    other: str | None,
    least: float,
    most: float,
) -> Iterator[Check]:
    mine, theirs = found.get((system, quantity)), found.get((other, quantity))
    if mine and theirs:
        yield Check(ordering, system, quantity, other, mine.minus(theirs), least, most)


def _above(
    found: Figures, ordering: int, system: str, quantity: str, other: str | None
) -> Iterator[Check]:
    yield from _between(found, ordering, system, quantity, other, 0.0, inf)


def _below(
    found: Figures, ordering: int, system: str, quantity: str, other: str | None
) -> Iterator[Check]:
    yield from _between(found, ordering, system, quantity, other, -inf, 0.0)


def _highest(found: Figures, quantity: str, systems: Sequence[str]) -> str | None:
    return _extreme(max, found, quantity, systems)


def _lowest(found: Figures, quantity: str, systems: Sequence[str]) -> str | None:
    return _extreme(min, found, quantity, systems)


def _extreme(choose: Callable, found: Figures, quantity: str, systems: Sequence[str]) -> str | None:
    present = [system for system in systems if (system, quantity) in found]
    return choose(present, key=lambda name: found[name, quantity].value, default=None)
