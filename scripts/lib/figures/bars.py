"""Bars per system: sorted by one of them, of all attackers over each other, and gender means."""

from collections.abc import Callable, Mapping, Sequence

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from scripts.lib.cells import Cells, Value, half_widths, metric_name
from scripts.lib.figures.style import (
    HATCHES,
    REFERENCE_SHADE,
    SHADES,
    STYLE,
    dataset_label,
    lineage_note,
    name_systems,
)
from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM
from scripts.lib.tables import GENDERS

CHANCE = {"eer": 50.0}


def sorted_bars(config: Mapping, metrics: pd.DataFrame) -> Figure:
    """Draw one panel per dataset, systems in descending order of one of their bars.

    Parameters
    ----------
    config
        The figure's `form`, the `study`'s choices and the `display` settings.
    metrics
        Tidy rows with columns metric, system, attacker, dataset, gender, value, low and high.
    """
    cells, display = Cells(metrics, config["name"]), config["display"]
    datasets, attackers = _datasets(config), config["attackers"]
    with mpl.rc_context(STYLE):
        each = 0.5 if len(attackers) < 2 else 0.6
        width = min(12.0, max(7.0, 1.5 + each * len(config["systems"])))
        size = (width, 0.7 + 2.5 * len(datasets))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(len(datasets), 1, sharey=True, squeeze=False)[:, 0]
        for panel, dataset in zip(panels, datasets, strict=True):
            order = sorted_systems(config, cells, dataset["name"])
            _draw_sorted(panel, config, cells, dataset, order)
            name_systems(panel, order, display)
            panel.set_title(dataset_label(display, dataset["name"]))
            panel.set_ylabel(metric_name(display, config["form"]["metric"]))
        handles = [_patch(SHADES[2 * n], _attacker(display, a)) for n, a in enumerate(attackers)]
        if REFERENCE_SYSTEM in config["systems"]:
            handles.append(_patch(REFERENCE_SHADE, _attacker(display, REFERENCE_ATTACKER)))
        shade = SHADES[1] if not attackers else "white"
        handles += [_patch(shade, GENDERS[g], HATCHES[g]) for g in datasets[0]["genders"]]
        handles += lineage_note(display, config["systems"])
        _legend(figure, handles)
    return figure


def sorted_systems(config: Mapping, cells: Cells, dataset: str) -> list[str]:
    """Return the systems from the highest bar down; ties keep their printed order."""
    form = config["form"]
    by, metric = form["sort"], form["metric"]

    def height(system: str) -> float:
        return -cells.value(metric, system, by.get("attacker"), dataset, by["gender"]).value

    return sorted(config["systems"], key=height)


def attacker_bars(config: Mapping, metrics: pd.DataFrame) -> Figure:
    """Draw one panel per dataset: bars of all attackers over each other, the strongest in front.

    Parameters
    ----------
    config, metrics
        As in `sorted_bars`.
    """
    cells, display = Cells(metrics, config["name"]), config["display"]
    metric = config["form"]["metric"]
    panels = [
        (
            dataset_label(display, dataset["name"]),
            dataset["genders"],
            lambda system, attacker, gender, name=dataset["name"]: cells.value(
                metric, system, attacker, name, gender
            ),
        )
        for dataset in _datasets(config)
    ]
    return _nested_panels(config, panels)


def gender_means(config: Mapping, metrics: pd.DataFrame) -> Figure:
    """Draw one panel per gender: unweighted means over all datasets, against every attacker.

    Parameters
    ----------
    config, metrics
        As in `sorted_bars`.
    """
    cells, datasets = Cells(metrics, config["name"]), _datasets(config)
    means = {
        gender: [dataset["name"] for dataset in datasets if gender in dataset["genders"]]
        for gender in sorted({g for dataset in datasets for g in dataset["genders"]})
    }

    def mean(system: str, attacker: str, gender: str) -> Value:
        metric, names = config["form"]["metric"], means[gender]
        values = [cells.value(metric, system, attacker, name, gender).value for name in names]
        # The interval of a mean would need the joint distribution of the datasets.
        return Value(float(np.mean(values)), np.nan, np.nan)

    return _nested_panels(config, [(GENDERS[gender], [gender], mean) for gender in means])


def _nested_panels(
    config: Mapping, panels: Sequence[tuple[str, Sequence[str], Callable[..., Value]]]
) -> Figure:
    display, systems = config["display"], config["systems"]
    with mpl.rc_context(STYLE):
        each = 0.9 + 0.35 * len(systems) * max(2, *(len(genders) for _, genders, _ in panels))
        width = min(13.0, max(7.0, 0.6 + each * len(panels)))
        figure = Figure(figsize=(width, 3.6), layout="constrained")
        axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for panel, (title, genders, value_of) in zip(axes, panels, strict=True):
            _draw_nested(panel, config, genders, value_of)
            panel.set_title(title)
            name_systems(panel, systems, display, pad=14 if len(genders) > 1 else 3)
        # Panels share the axis: its upper end is known when all of them are drawn.
        axes[0].set_ylim(0, 1.05 * max(panel.dataLim.ymax for panel in axes))
        axes[0].set_ylabel(metric_name(display, config["form"]["metric"]))
        handles, labels = axes[0].get_legend_handles_labels()
        unique = dict(zip(labels, handles, strict=True))
        _legend(figure, [*unique.values(), *lineage_note(display, systems)])
    return figure


def _draw_nested(
    panel: Axes, config: Mapping, genders: Sequence[str], value_of: Callable[..., Value]
) -> None:
    bar = 0.8 / len(genders)
    for place, system in enumerate(config["systems"]):
        reference = system == REFERENCE_SYSTEM
        attackers = [REFERENCE_ATTACKER] if reference else config["attackers"]
        for number, gender in enumerate(genders):
            x = place + (number - (len(genders) - 1) / 2) * bar
            for shade, attacker in enumerate(attackers):
                cell = value_of(system, attacker, gender)
                panel.bar(
                    x,
                    cell.value,
                    # Narrower towards the front, so that no bar can hide another.
                    width=(0.92 - 0.22 * shade) * bar,
                    color=REFERENCE_SHADE if reference else SHADES[shade % len(SHADES)],
                    edgecolor="black",
                    linewidth=0.6,
                    zorder=2 + shade,
                    label=[_attacker(config["display"], attacker)],
                )
                # Beside each other, because bars of one place share their middle.
                offset = (shade - (len(attackers) - 1) / 2) * 0.2 * bar
                _interval(panel, x + offset, cell)
            if len(genders) > 1:
                panel.annotate(
                    GENDERS[gender][0],
                    (x, 0),
                    (0, -3),
                    textcoords="offset points",
                    ha="center",
                    va="top",
                )
    _finish(panel, config)


def _draw_sorted(
    panel: Axes, config: Mapping, cells: Cells, dataset: Mapping, order: Sequence[str]
) -> None:
    metric, genders = config["form"]["metric"], dataset["genders"]
    for place, system in enumerate(order):
        reference = system == REFERENCE_SYSTEM
        attackers = [REFERENCE_ATTACKER] if reference else config["attackers"] or [None]
        bar = 0.84 / (len(attackers) * len(genders))
        for number, (attacker, gender) in enumerate(
            (attacker, gender) for attacker in attackers for gender in genders
        ):
            cell = cells.value(metric, system, attacker, dataset["name"], gender)
            shade = SHADES[2 * (number // len(genders))] if attacker else SHADES[1]
            x = place - 0.42 + (number + 0.5) * bar
            panel.bar(
                x,
                cell.value,
                width=0.96 * bar,
                color=REFERENCE_SHADE if reference else shade,
                # Hatches take the colour of the edge; they must show on dark bars too.
                edgecolor="white" if shade == SHADES[2] and not reference else "black",
                hatch=HATCHES[gender],
                linewidth=0.3,
                zorder=2,
            )
            _interval(panel, x, cell)
    panel.set_xlim(-0.6, len(order) - 0.4)
    _finish(panel, config)


def _interval(panel: Axes, x: float, cell: Value) -> None:
    error = half_widths(cell)
    if error is not None:
        panel.errorbar(
            x, cell.value, yerr=error, color="black", linewidth=0.8, capsize=1.5, zorder=10
        )


def _finish(panel: Axes, config: Mapping) -> None:
    chance = CHANCE.get(config["form"]["metric"])
    if chance is not None:
        panel.axhline(chance, color="black", linestyle=":", linewidth=0.8, zorder=1)
    panel.axhline(0, color="black", linewidth=0.6, zorder=3)
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", linewidth=0.4, zorder=0)
    panel.set_axisbelow(True)


def _datasets(config: Mapping) -> list[Mapping]:
    return [d for role in config["form"]["datasets"] for d in config["study"]["datasets"][role]]


def _attacker(display: Mapping, attacker: str) -> str:
    return display["attackers"].get(attacker, attacker)


def _patch(color: str, label: str, hatch: str = "") -> Patch:
    return Patch(facecolor=color, edgecolor="black", hatch=hatch, linewidth=0.5, label=label)


def _legend(figure: Figure, handles: Sequence) -> None:
    columns = 4 if figure.get_figwidth() > 9 else 3
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False)
