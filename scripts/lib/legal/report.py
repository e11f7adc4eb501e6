"""Lay the rows of a legal evaluation out: curves by attacker, and a table at named sizes."""

import textwrap
from collections.abc import Mapping

import pandas as pd

from scripts.lib.legal.attackers import ATTACKERS
from scripts.lib.markup import escape_latex, markdown_lines

METRICS = {
    "singling_out": "Singling Out",
    "linkability": "Linkability",
    "one_minus_eer": "1 - EER",
}
NUMBERS = ("value", "low", "high", "spread", "chance", "floor", "enrolled", "tested")
ABSENT = "-"


def curves_of(rows: pd.DataFrame, config: Mapping) -> pd.DataFrame:
    """Return one line per point of each attacker's curves, averaged over training seeds.

    Parameters
    ----------
    rows
        Tidy rows with columns trained_on, system, metric, length, speakers, value and chance, and
        perhaps low, high, spread, floor, enrolled and tested.
    config
        What `LegalPlan.report_config` returns.
    """
    table = rows.reindex(columns=sorted({*rows.columns, *NUMBERS}))
    for name in (*NUMBERS, "length", "speakers"):
        table[name] = pd.to_numeric(table[name])
    parts = []
    for condition in config["conditions"]:
        where = (table["trained_on"] == condition["trained_on"]) & (
            table["system"] == condition["system"]
        )
        if not where.any():
            raise ValueError(
                f"attacker {condition['attacker']}: no row of {condition['system']} by a model of "
                f"{condition['trained_on']}"
            )
        points = table[where].groupby(["metric", "length", "speakers"])
        mean = points[list(NUMBERS)].mean().reset_index()
        seeds = table[where].groupby("metric")["seed"].nunique().max()
        parts.append(mean.assign(attacker=condition["attacker"], seeds=seeds))
    return pd.concat(parts, ignore_index=True)


def attacker_heading(name: str) -> str:
    """Return the name of an attacker in both vocabularies.

    Examples
    --------
    >>> attacker_heading("informed")
    'Informed (VPC: semi-informed)'
    """
    attacker = ATTACKERS[name]
    return f"{attacker.label} (VPC: {attacker.challenge})"


class LegalTable:
    """A legal evaluation at named population sizes.

    Parameters
    ----------
    config
        What `LegalPlan.report_config` returns.
    rows
        Tidy rows of all curves.
    """

    def __init__(self, config: Mapping, rows: pd.DataFrame):
        self.config = config
        self.curves = curves_of(rows, config)
        self.attackers = [condition["attacker"] for condition in config["conditions"]]
        self.tidy = self._chosen()

    @property
    def caption(self) -> str:
        """Return what the numbers are, of whom, and what stands in the columns."""
        config, names = self.config, self.config["display"]["systems"]
        system, similar = (names.get(config[key], config[key]) for key in ("system", "similar"))
        model = f", embeddings of {config['asv']}" if "asv" in config else ""
        parts = [
            f"Risk by population size in percent. Study: {config['title']}. System under test: "
            f"{system}{model}. The semi-informed attacker trains on {similar}.",
            "Columns name attackers as in the legal framework, and in parentheses as in the "
            "VoicePrivacy challenges (VPC), where the same words mean others.",
            "Higher is worse for privacy. Chance is the value that guessing reaches.",
        ]
        if self.tidy["low"].notna().any():
            parts.append("95 % intervals over speakers in brackets.")
        if self.tidy["floor"].notna().any():
            parts.append(
                "The floor of Singling Out is its chance when the threshold comes from finitely "
                "many calibration scores: a value between floor and chance is no privacy gained."
            )
        if self.tidy["seeds"].max() > 1:
            parts.append(f"Means over {int(self.tidy['seeds'].max())} training seeds.")
        if self._lacks_some():
            parts.append(f"{ABSENT}: fewer speakers have enough utterances for this length.")
        return " ".join(parts)

    def markdown(self) -> str:
        """Return the table for reading."""
        head = ["metric", "L", "speakers", *map(attacker_heading, self.attackers), "chance"]
        body = [head, *self._lines()]
        text = textwrap.fill(f"**legal_table_1** {self.caption}", 110, break_on_hyphens=False)
        return "\n".join([text, "", *markdown_lines(body)]) + "\n"

    def latex(self) -> str:
        """Return the table for a paper (needs the package booktabs)."""
        first = [ATTACKERS[name].label for name in self.attackers]
        second = [f"({ATTACKERS[name].challenge})" for name in self.attackers]
        heads = [["Metric", "$L$", "Speakers", *first, "Chance"], ["", "", "", *second, ""]]
        lines = [
            r"\begin{table}",
            rf"\caption{{{escape_latex(self.caption)}}}",
            r"\begin{tabular}{lrr" + "l" * len(self.attackers) + "r}",
            r"\toprule",
            *[" & ".join(line) + r" \\" for line in heads],
        ]
        metric = None
        for line in self._lines():
            if line[0] != metric:
                metric = line[0]
                lines.append(r"\midrule")
            lines.append(" & ".join(map(escape_latex, line)) + r" \\")
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"]) + "\n"

    def _chosen(self) -> pd.DataFrame:
        parts = []
        for metric, sizes in self._sizes().items():
            points = self.curves[self.curves["metric"] == metric]
            missing = sorted(set(sizes) - set(points["speakers"]))
            if missing:
                known = ", ".join(map(str, sorted(set(points["speakers"]))[:12]))
                raise ValueError(
                    f"legal_table_1: no {metric} at {missing[0]} speakers; the curves have {known}"
                    f"{' and more' if points['speakers'].nunique() > 12 else ''}: "
                    "correct legal.table_speakers of the study"
                )
            parts.append(points[points["speakers"].isin(sizes)])
        table = pd.concat(parts)
        order = {name: place for place, name in enumerate([*METRICS, *self.attackers])}
        keys = ["metric", "length", "speakers", "attacker"]
        table = table.sort_values(keys, key=lambda c: c.map(order) if c.name in _TEXT else c)
        table["challenge_attacker"] = [ATTACKERS[name].challenge for name in table["attacker"]]
        first = [*keys, "challenge_attacker"]
        return table[[*first, *[c for c in table if c not in first]]].reset_index(drop=True)

    def _sizes(self) -> dict[str, list[int]]:
        return {metric: sorted(self.config["table_speakers"][metric]) for metric in METRICS}

    def _lacks_some(self) -> bool:
        return any(ABSENT in line for line in self._lines())

    def _lines(self) -> list[list[str]]:
        keys = ["metric", "length", "speakers", "attacker"]
        cells = {tuple(line[key] for key in keys): line for line in self.tidy.to_dict("records")}
        lengths = sorted(self.curves["length"].unique())
        lines = []
        for metric, sizes in self._sizes().items():
            for length in lengths:
                for size in sizes:
                    row = [cells.get((metric, length, size, name)) for name in self.attackers]
                    texts = [_value(cell) if cell else ABSENT for cell in row]
                    chance = next((_chance(cell) for cell in row if cell), ABSENT)
                    lines.append([METRICS[metric], str(length), str(size), *texts, chance])
        return lines


_TEXT = ("metric", "attacker")


def _value(cell: Mapping) -> str:
    text = f"{100 * cell['value']:.1f}"
    if pd.isna(cell["low"]):
        return text
    return f"{text} [{100 * cell['low']:.1f}, {100 * cell['high']:.1f}]"


def _chance(cell: Mapping) -> str:
    percent = 100 * cell["chance"]
    text = f"{percent:.1f}" if percent >= 1 else f"{percent:.2g}"
    return text if pd.isna(cell["floor"]) else f"{text} (floor {100 * cell['floor']:.1f})"
