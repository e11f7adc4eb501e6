"""Lay tidy metric rows out as a published table: blocks of rows, one column per system."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from scripts.lib.attackers import Weakness
from scripts.lib.cells import IN_PERCENT
from scripts.lib.markup import REBUILT, WEAK, escape_latex, filled, markdown_lines
from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM, has_attacker
from scripts.lib.wer_plan import (
    language_models,
    pooled,
    recognizer_heard,
    recognizer_label,
)

GENDERS = {"f": "female", "m": "male"}


@dataclass(frozen=True)
class Row:
    """One printed row of a block."""

    heading: str
    dataset: str
    gender: str
    cells: tuple[Mapping, ...]


class Table:
    """A table of a study.

    Parameters
    ----------
    config
        The table's `form`, the `study`'s choices and the `display` settings.
    metrics
        Tidy rows of every metric file that the table needs.
    weaknesses
        Why some of its attackers are too weak to speak of privacy.
    """

    def __init__(self, config: Mapping, metrics: pd.DataFrame, weaknesses: Sequence[Weakness] = ()):
        self.form, self.study = config["form"], config["study"]
        self.display, self.name = config["display"], config["name"]
        self.metrics, self._weaknesses = metrics, weaknesses
        self.systems = config["systems"]
        self.absent, self.unheard = config["absent"], config["unheard"]
        self.rebuilt = config["rebuilt"]
        self.rows = [row for block in self.form["blocks"] for row in self._block(block)]

    @property
    def columns(self) -> list[str]:
        """Return the printed names of the systems, rebuilt ones with a mark."""
        marks = [REBUILT if system in self.rebuilt else "" for system in self.systems]
        return [
            f"{name}{mark}" for name, mark in zip(self._names(self.systems), marks, strict=True)
        ]

    @property
    def caption(self) -> str:
        """Return title, source, study and what the numbers mean."""
        cells = [cell for row in self.rows for cell in row.cells]
        meanings = dict.fromkeys(
            f"{self._label(cell['metric'])}: {cell['definition']}" for cell in cells
        )
        seeds = max(cell["seeds"] for cell in cells)
        notes = []
        if seeds > 1:
            widest = {cell["metric"]: cell for cell in sorted(cells, key=lambda c: c["spread"])}
            parts = (f"{self._label(m)} {self._value(c, 'spread')}" for m, c in widest.items())
            notes.append(
                f"Means over {seeds} training seeds, whose largest standard deviation is "
                f"{', '.join(parts)}."
            )
        if self.unheard:
            notes.append(f"Given as scores, without audio: {', '.join(self._names(self.unheard))}.")
        if self.rebuilt:
            parts = zip(self._names(list(self.rebuilt)), self.rebuilt.values(), strict=True)
            known = "; ".join(f"{name}: {guess}" for name, guess in parts)
            notes.append(f"Rebuilt from incomplete descriptions ({REBUILT}): {known}.")
        if self.absent:
            notes.append(f"Not in this study: {', '.join(self._names(self.absent))}.")
        text = (
            f"{self.form['title']}. Study: {self.study['title']}. "
            f"Form of {self.form['source']}. {'. '.join(meanings)}."
        )
        return " ".join([text, *notes])

    @property
    def warning(self) -> str:
        """Return which cells rest on attackers that are too weak, and why; empty if none does."""
        found: dict[tuple[str, str], tuple[dict, dict]] = {}
        for row in self.rows:
            for cell in row.cells:
                if cell["warning"]:
                    key = cell["attacker"], cell["warning"]
                    systems, places = found.setdefault(key, ({}, {}))
                    systems[cell["system"]] = places[f"{row.dataset} {row.gender}"] = None
        parts = [
            f"{self.display['attackers'].get(attacker, attacker)} attacker on "
            f"{', '.join(self._names(list(systems)))} ({', '.join(places)}): {reason}"
            for (attacker, reason), (systems, places) in found.items()
        ]
        if not parts:
            return ""
        return f"Attackers too weak to support a claim of privacy ({WEAK}): {'; '.join(parts)}."

    def tidy(self) -> pd.DataFrame:
        """Return one line per cell in full precision, with interval and definition."""
        lines = [
            {**cell, "row": f"{row.dataset} {row.gender}".strip()}
            for row in self.rows
            for cell in row.cells
        ]
        return pd.DataFrame(lines)

    def markdown(self) -> str:
        """Return the table for reading, 95 % intervals in brackets."""
        head = ["", "", *self.columns]
        known = any(pd.notna(cell["low"]) for row in self.rows for cell in row.cells)
        note = " 95 % intervals in brackets." if known else ""
        lines = [filled(f"**{self.name}** {self.caption}{note}"), ""]
        lines += [filled(f"**Warning.** {self.warning}"), ""] if self.warning else []
        body = [head]
        heading = None
        for row in self.rows:
            if row.heading != heading:
                heading = row.heading
                body.append([f"**{heading}**", *[""] * (len(head) - 1)])
            body.append([row.dataset, row.gender, *[self._with_interval(c) for c in row.cells]])
        return "\n".join([*lines, *markdown_lines(body)]) + "\n"

    def latex(self) -> str:
        """Return the table as printed: a booktabs tabular with its caption."""
        warning = rf" \textbf{{Warning.}} {escape_latex(self.warning)}" if self.warning else ""
        lines = [
            r"\begin{table}",
            rf"\caption{{{escape_latex(self.caption)}{warning}}}",
            rf"\label{{tab:{self.name.replace('_', '-')}}}",
            rf"\begin{{tabular}}{{ll{'r' * len(self.systems)}}}",
            r"\toprule",
            " & ".join(["Dataset", "Gender", *map(escape_latex, self.columns)]) + r" \\",
        ]
        heading = None
        for row in self.rows:
            if row.heading != heading:
                heading = row.heading
                block = self._heading(row.cells[0], latex=True)
                lines += [
                    r"\midrule",
                    rf"\multicolumn{{{len(self.systems) + 2}}}{{l}}{{{block}}} \\",
                ]
            cells = [row.dataset, row.gender, *map(self._marked, row.cells)]
            lines.append(" & ".join(map(escape_latex, cells)) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        return "\n".join(lines) + "\n"

    def _block(self, block: Mapping) -> Iterator[Row]:
        if block["metric"] == "uar":
            yield from self._rows_by(block, "subset")
        elif block["metric"] == "uar_fold":
            yield from self._rows_by(block, "fold", subset="test")
        elif block["metric"] == "wer":
            yield from self._word_rows(block)
        else:
            yield from self._gender_rows(block)

    def _gender_rows(self, block: Mapping) -> Iterator[Row]:
        for dataset in self._datasets():
            label = self._dataset_label(dataset["name"])
            rows = []
            for gender in dataset["genders"]:
                cells = self._cells(block, dataset=dataset["name"], gender=gender)
                rows.append(Row(self._heading(cells[0]), label, GENDERS[gender], cells))
            yield from rows
            if self.form["average"]:
                means = tuple(map(_mean_cell, zip(*(row.cells for row in rows), strict=True)))
                yield Row(self._heading(means[0]), label, "average", means)

    def _rows_by(self, block: Mapping, column: str, **fixed: str) -> Iterator[Row]:
        """Yield a row per dataset and value that a column has there, in stored order."""
        for dataset in self._datasets():
            rows = self.metrics[self.metrics["metric"] == block["metric"]]
            for value in rows[column][rows["dataset"] == dataset["name"]].unique():
                cells = self._cells(block, dataset=dataset["name"], **fixed, **{column: value})
                label = f"{self._dataset_label(dataset['name'])}-{value}"
                yield Row(self._heading(cells[0]), label, "", cells)

    def _word_rows(self, block: Mapping) -> Iterator[Row]:
        for lm in language_models(self.study):
            label = self.display["lms"].get(lm, lm)
            block = block | {"attacker": recognizer_label(block, label, self.form, self.study)}
            for dataset in pooled(self.study, (entry["name"] for entry in self._datasets())):
                where = {"dataset": dataset, "lm": lm}
                cells = tuple(
                    self._cell(block, system, **where, trained_on=recognizer_heard(block, system))
                    for system in self.systems
                )
                yield Row(self._heading(cells[0]), self._dataset_label(dataset), "", cells)

    def _cells(self, block: Mapping, **where: str) -> tuple[dict, ...]:
        return tuple(self._cell(block, system, **where) for system in self.systems)

    def _cell(self, block: Mapping, system: str, **where: str) -> dict:
        where = {"metric": block["metric"], "system": system, **where}
        if has_attacker(block["metric"]):
            reference = system == REFERENCE_SYSTEM
            where["attacker"] = REFERENCE_ATTACKER if reference else block["attacker"]
        found = self.metrics
        for column, value in where.items():
            found = found[found[column] == value]
        if found.empty:
            wanted = ", ".join(f"{key} {value}" for key, value in where.items())
            raise ValueError(f"{self.name}: no metric row for {wanted}")
        values = found["value"].astype(float)
        cell = {
            **where,
            "value": values.mean(),
            "low": pd.to_numeric(found["low"]).mean(),
            "high": pd.to_numeric(found["high"]).mean(),
            "seeds": len(found),
            "spread": values.std(ddof=1) if len(found) > 1 else 0.0,
            "definition": found["definition"].iloc[0],
        }
        reasons = [weakness.reason for weakness in self._weaknesses if weakness.concerns(cell)]
        # The heading of a block names its attacker, which the column of orig does not share.
        return cell | {"block": block.get("attacker", ""), "warning": "; ".join(reasons)}

    def _heading(self, cell: Mapping, *, latex: bool = False) -> str:
        unit = self.display["metrics"][cell["metric"]]["unit"]
        attacker = self.display["attackers"].get(cell["block"], cell["block"])
        unit = escape_latex(unit) if latex else unit
        parts = [self._label(cell["metric"], latex=latex), unit, attacker]
        return ", ".join(filter(None, parts))

    def _names(self, systems: list[str]) -> list[str]:
        return [self.display["systems"].get(system, system) for system in systems]

    def _label(self, metric: str, *, latex: bool = False) -> str:
        shown = self.display["metrics"][metric]
        return shown.get("latex", shown["label"]) if latex else shown["label"]

    def _dataset_label(self, name: str) -> str:
        return self.display["datasets"].get(name, name)

    def _datasets(self) -> list[Mapping]:
        return [d for role in self.form["datasets"] for d in self.study["datasets"][role]]

    def _value(self, cell: Mapping, key: str = "value") -> str:
        metric = cell["metric"]
        scale = 100.0 if metric in IN_PERCENT else 1.0
        return f"{scale * cell[key]:.{self.display['metrics'][metric]['decimals']}f}"

    def _marked(self, cell: Mapping) -> str:
        return self._value(cell) + (WEAK if cell["warning"] else "")

    def _with_interval(self, cell: Mapping) -> str:
        if pd.isna(cell["low"]):
            return self._marked(cell)
        return f"{self._marked(cell)} [{self._value(cell, 'low')}, {self._value(cell, 'high')}]"


def _mean_cell(cells: tuple[Mapping, ...]) -> dict:
    """Average the genders; their interval would need the joint distribution and is left out."""
    first = cells[0]
    value = sum(cell["value"] for cell in cells) / len(cells)
    return {**first, "gender": "average", "value": value, "low": float("nan"), "high": float("nan")}
