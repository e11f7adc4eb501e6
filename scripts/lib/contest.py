"""Which of a study's attackers recognises most on each system: the headline of its privacy."""

from collections.abc import Mapping

import pandas as pd

from scripts.lib.markup import markdown_lines
from scripts.lib.tables import GENDERS

AVERAGE = "average"
_PLACE = ["system", "dataset"]
_ATTACK = ["asv", "attacker"]


def contest(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return the EER of every attack, with the average of the genders, and mark the strongest.

    The strongest attack on a system and a dataset has the lowest average of the genders; the first
    of equals counts.

    Parameters
    ----------
    metrics
        Metric rows with columns asv, attacker, seed, system, dataset, gender, value, low, high.

    Returns
    -------
    pandas.DataFrame
        One row per attack, system, dataset and gender, means over training seeds; `strongest` is
        1 or 0.
    """
    rows = metrics[metrics["metric"] == "eer"].copy()
    for name in ("value", "low", "high"):
        rows[name] = pd.to_numeric(rows[name])
    names = [*_PLACE, *_ATTACK]
    rates = rows.groupby([*names, "gender"], sort=False)[["value", "low", "high"]].mean()
    rates = rates.reset_index()
    means = rates.groupby(names, sort=False)["value"].mean().reset_index()
    # An interval of the mean would need the joint distribution of the genders.
    table = pd.concat([rates, means.assign(gender=AVERAGE)], ignore_index=True)
    best = means.loc[means.groupby(_PLACE, sort=False)["value"].idxmin(), names]
    table = table.merge(best.assign(strongest=1), on=names, how="left")
    return table.assign(strongest=table["strongest"].fillna(0).astype(int))


def contest_report(table: pd.DataFrame, title: str, display: Mapping) -> str:
    """Return the strongest attack on each system, and all attacks beside each other, as Markdown.

    Parameters
    ----------
    table
        What `contest` returns.
    title
        Name of the study.
    display
        Printed names.
    """
    lines = [
        f"**table_strongest** EER in percent of the strongest attacker on each system, 95 % "
        f"intervals in brackets. Study: {title}.",
        "The strongest has the lowest average over the genders among all models and attack models",
        "of the study on the same trials, so with many contenders luck lowers it a little.",
        "",
    ]
    body = [["system", "dataset", "gender", "EER", "model", "attacker"]]
    for row in table[table["strongest"] == 1].sort_values(_PLACE, kind="stable").itertuples():
        body.append([*_labels(row, display), _rate(row), row.asv, _attacker(row, display)])
    lines += [*markdown_lines(body), "", "All of them:", ""]
    attacks = list(dict.fromkeys((row.asv, row.attacker) for row in table.itertuples()))
    found = {(*_key(row), row.asv, row.attacker): row for row in table.itertuples()}
    body = [["system", "dataset", "gender", *(f"{asv}, {name}" for asv, name in attacks)]]
    for key, row in {key[:3]: row for key, row in found.items()}.items():
        cells = [found.get((*key, *attack)) for attack in attacks]
        body.append([*_labels(row, display), *(_rate(cell) if cell else "" for cell in cells)])
    return "\n".join([*lines, *markdown_lines(body)]) + "\n"


def _key(row: tuple) -> tuple[str, str, str]:
    return row.system, row.dataset, row.gender


def _labels(row: tuple, display: Mapping) -> list[str]:
    return [
        display["systems"].get(row.system, row.system),
        display["datasets"].get(row.dataset, row.dataset),
        GENDERS.get(row.gender, row.gender),
    ]


def _attacker(row: tuple, display: Mapping) -> str:
    return display["attackers"].get(row.attacker, row.attacker)


def _rate(row: tuple) -> str:
    text = f"{100 * row.value:.2f}"
    return text if pd.isna(row.low) else f"{text} [{100 * row.low:.2f}, {100 * row.high:.2f}]"
