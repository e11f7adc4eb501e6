"""Set the cells of a table beside the values that were published for them."""

from collections.abc import Iterator, Mapping

import pandas as pd

from scripts.lib.cells import IN_PERCENT
from scripts.lib.markup import markdown_lines
from scripts.lib.reference import REFERENCE_SYSTEM
from scripts.lib.tables import GENDERS
from scripts.lib.wer_plan import NO_LM

COLUMNS = (
    *("metric", "attacker", "dataset", "subset", "gender", "lm", "system"),
    *("value", "low", "high", "published", "difference", "inside"),
)
INSIDE, OUTSIDE, UNKNOWN = "yes", "no", "no interval"


class Comparison:
    """A table of a study beside published values.

    Parameters
    ----------
    config
        Name of the table, title of the study, its `counterparts` and the `display` settings.
    cells
        The table in full precision, one line per cell.
    published
        Metric rows of published values.
    """

    def __init__(self, config: Mapping, cells: pd.DataFrame, published: pd.DataFrame):
        self.config, self._display = config, config["display"]
        self._published = {self._key(row): float(row["value"]) for row in _records(published)}
        self._cells = _records(cells)
        self.rows = pd.DataFrame(list(self._matches()), columns=COLUMNS)

    def markdown(self) -> str:
        """Return counts, what has no counterpart, and one line per compared cell."""
        title = f"**{self.config['name']}** of the study {self.config['title']}, beside published"
        lines = [f"{title} values.", "", self._summary(), ""]
        if self.rows.empty:
            return "\n".join(lines)
        # Only word error rates have a language model, and never a gender or an attacker.
        words = (self.rows["metric"] == "wer").all()
        names = ["metric", *(["LM"] if words else ["attacker"]), "dataset", "gender", "system"]
        head = [*names, "ours", "95 % interval", "published", "difference", "published in interval"]
        body = [
            [
                self._display["metrics"][row.metric]["label"],
                self._label("lms", row.lm) if words else self._label("attackers", row.attacker),
                self._label("datasets", row.dataset),
                GENDERS.get(row.gender, row.gender),
                self._label("systems", row.system),
                self._number(row.metric, row.value),
                self._interval(row),
                self._number(row.metric, row.published),
                self._number(row.metric, row.difference, sign="+"),
                row.inside,
            ]
            for row in self.rows.itertuples()
        ]
        return "\n".join([*lines, *markdown_lines([head, *body])]) + "\n"

    def _matches(self) -> Iterator[dict]:
        for cell in self._cells:
            key = self._key(cell, ours=True)
            # Values printed without a language model stand beside those with any.
            published = self._published.get(key, self._published.get((*key[:-1], NO_LM)))
            if published is None:
                continue
            value, low, high = (_float(cell[name]) for name in ("value", "low", "high"))
            known = not (pd.isna(low) or pd.isna(high))
            inside = INSIDE if known and low <= published <= high else OUTSIDE
            yield {
                **{
                    name: cell.get(name, "") for name in ("metric", "attacker", "dataset", "subset")
                },
                "gender": cell.get("gender", ""),
                "lm": cell.get("lm", ""),
                "system": cell["system"],
                "value": value,
                "low": low,
                "high": high,
                "published": published,
                "difference": value - published,
                "inside": inside if known else UNKNOWN,
            }

    def _summary(self) -> str:
        total, found = len(self._cells), len(self.rows)
        if not found:
            datasets, systems = (
                ", ".join(sorted({self._label(kind, cell[name]) for cell in self._cells}))
                for kind, name in (("datasets", "dataset"), ("systems", "system"))
            )
            return (
                f"Nothing matches: no published value belongs to the datasets {datasets} and the "
                f"systems {systems}. Name their counterparts under `counterparts` in the study."
            )
        inside = self.rows["inside"].value_counts()
        text = (
            f"{found} of {total} cells have a published counterpart: {inside.get(INSIDE, 0)} lie "
            f"inside our interval, {inside.get(OUTSIDE, 0)} outside, and "
            f"{inside.get(UNKNOWN, 0)} have no interval."
        )
        for kind, name in (("datasets", "dataset"), ("systems", "system")):
            known = set(self.rows[name])
            rest = dict.fromkeys(c[name] for c in self._cells if c[name] not in known)
            if rest:
                labels = ", ".join(self._label(kind, item) for item in rest)
                text += f" No published values of the {kind} {labels}."
        for kind, pairs in self.config["counterparts"].items():
            used = ", ".join(
                f"{self._label(kind, ours)} with {self._label(kind, theirs)}"
                for ours, theirs in pairs.items()
            )
            text += f" Compared by choice of the study: {used}." if used else ""
        return text

    def _key(self, row: Mapping, *, ours: bool = False) -> tuple:
        """Names are matched as printed; a study may declare counterparts of its own names."""
        labels = []
        for kind, name in (("datasets", "dataset"), ("systems", "system"), ("lms", "lm")):
            pairs = self.config["counterparts"].get(kind, {}) if ours else {}
            value = row.get(name, "")
            labels.append(self._label(kind, pairs.get(value, value)))
        rest = [row.get(name, "") for name in ("metric", "attacker", "gender", "subset")]
        # Recognisers of the plans heard original speech.
        retrained = row.get("trained_on", "") not in ("", REFERENCE_SYSTEM)
        return (*labels[:2], *rest, retrained, labels[2])

    def _label(self, kind: str, name: str) -> str:
        return self._display[kind].get(name, name)

    def _number(self, metric: str, value: float, sign: str = "") -> str:
        scale = 100.0 if metric in IN_PERCENT else 1.0
        return f"{scale * value:{sign}.{self._display['metrics'][metric]['decimals']}f}"

    def _interval(self, row: tuple) -> str:
        if row.inside == UNKNOWN:
            return ""
        return f"{self._number(row.metric, row.low)} to {self._number(row.metric, row.high)}"


def _records(table: pd.DataFrame) -> list[dict]:
    return table.astype(object).fillna("").to_dict("records")


def _float(text: str) -> float:
    return float(text) if text != "" else float("nan")
