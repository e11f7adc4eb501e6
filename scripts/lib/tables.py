"""Lay tidy metric rows out as a published table: blocks of rows, one column per system."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from scripts.lib.attackers import Weakness
from scripts.lib.cells import IN_PERCENT
from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM, has_attacker

# Marks what rests on an attacker too weak to support a privacy claim.
WEAK = "†"
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
        self.rows = [row for block in self.form["blocks"] for row in self._block(block)]

    @property
    def columns(self) -> list[str]:
        """Return the printed names of the systems."""
        return self._names(self.systems)

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
        lines = [_filled(f"**{self.name}** {self.caption}{note}"), ""]
        lines += [_filled(f"**Warning.** {self.warning}"), ""] if self.warning else []
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
        warning = rf" \textbf{{Warning.}} {_escape(self.warning)}" if self.warning else ""
        lines = [
            r"\begin{table}",
            rf"\caption{{{_escape(self.caption)}{warning}}}",
            rf"\label{{tab:{self.name.replace('_', '-')}}}",
            rf"\begin{{tabular}}{{ll{'r' * len(self.systems)}}}",
            r"\toprule",
            " & ".join(["Dataset", "Gender", *map(_escape, self.columns)]) + r" \\",
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
            lines.append(" & ".join(map(_escape, cells)) + r" \\")
        lines += [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
        return "\n".join(lines) + "\n"

    def _block(self, block: Mapping) -> Iterator[Row]:
        if block["metric"] == "uar":
            yield from self._rows_by(block, "subset", ["dev", "test"])
        elif block["metric"] == "wer":
            yield from self._rows_by(block, None, [""])
        else:
            yield from self._gender_rows(block)

    def _gender_rows(self, block: Mapping) -> Iterator[Row]:
        for dataset in self._datasets():
            label = self._dataset_label(dataset["name"])
            rows = []
            for gender in dataset["genders"]:
                cells = tuple(
                    self._cell(block, system, dataset=dataset["name"], gender=gender)
                    for system in self.systems
                )
                rows.append(Row(self._heading(cells[0]), label, GENDERS[gender], cells))
            yield from rows
            if self.form["average"]:
                means = tuple(map(_mean_cell, zip(*(row.cells for row in rows), strict=True)))
                yield Row(self._heading(means[0]), label, "average", means)

    def _rows_by(self, block: Mapping, column: str | None, values: list[str]) -> Iterator[Row]:
        for dataset in self._datasets():
            for value in values:
                where = {"dataset": dataset["name"]} | ({column: value} if column else {})
                cells = tuple(self._cell(block, system, **where) for system in self.systems)
                label = "-".join(filter(None, [self._dataset_label(dataset["name"]), value]))
                yield Row(self._heading(cells[0]), label, "", cells)

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
        unit = _escape(unit) if latex else unit
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


def _filled(text: str) -> str:
    return textwrap.fill(text, 110, break_on_hyphens=False)


def markdown_lines(body: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table whose columns stand under each other.

    Parameters
    ----------
    body
        Rows of cells, the head first.

    Examples
    --------
    >>> markdown_lines([["a", "b"], ["10", "2"]])
    ['| a  | b |', '|----|---|', '| 10 | 2 |']
    """
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    padded = [[cell.ljust(w) for cell, w in zip(line, widths, strict=True)] for line in body]
    lines = ["| " + " | ".join(line) + " |" for line in padded]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]


def _mean_cell(cells: tuple[Mapping, ...]) -> dict:
    """Average the genders; their interval would need the joint distribution and is left out."""
    first = cells[0]
    value = sum(cell["value"] for cell in cells) / len(cells)
    return {**first, "gender": "average", "value": value, "low": float("nan"), "high": float("nan")}


def _escape(text: str) -> str:
    for plain, escaped in (
        ("%", r"\%"),
        ("_", r"\_"),
        ("&", r"\&"),
        ("^", r"\^{}"),
        (WEAK, r"\dag{}"),
    ):
        text = text.replace(plain, escaped)
    return text
