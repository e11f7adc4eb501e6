"""One metric against another: a point per system and test condition."""

from collections.abc import Mapping

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from scripts.lib.cells import Cells, metric_name
from scripts.lib.figures.style import STYLE, lineage_note, markers_of, panel_letter, system_label
from scripts.lib.reference import has_attacker

SIZE = 5


def scatter(config: Mapping, metrics: pd.DataFrame) -> Figure:
    """Draw the panels of a form; every system keeps its marker in all of them.

    Parameters
    ----------
    config
        The figure's `form`, the `study`'s choices and the `display` settings.
    metrics
        Tidy rows with columns metric, system, attacker, dataset, gender and value.
    """
    cells, display = Cells(metrics, config["name"]), config["display"]
    # A panel without systems stays out: the study has not run its attacker.
    shown = [
        (panel, systems)
        for panel, systems in zip(config["form"]["panels"], config["panel_systems"], strict=True)
        if systems
    ]
    everybody = [s for s in config["systems"] if any(s in systems for _, systems in shown)]
    markers = markers_of(display, config["study"]["systems"])
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(1.0 + 3.6 * len(shown), 4.4), layout="constrained")
        axes = figure.subplots(1, len(shown), squeeze=False)[0]
        for number, (axis, (panel, systems)) in enumerate(zip(axes, shown, strict=True)):
            for system in systems:
                _draw_system(axis, config, cells, panel, system, markers[system])
            for side, set_label in (("x", axis.set_xlabel), ("y", axis.set_ylabel)):
                set_label(_axis_label(display, panel[side], both=_one_attacker(panel) is None))
            attacker = _one_attacker(panel)
            title = display["attackers"].get(attacker, attacker) if attacker else ""
            axis.set_title(f"{panel_letter(number)} {title}".strip())
            axis.grid(linewidth=0.4)
            axis.set_axisbelow(True)
            axis.spines[["top", "right"]].set_visible(False)
        handles = [
            Line2D(
                [],
                [],
                linestyle="",
                markersize=SIZE + 1,
                label=system_label(display, system),
                **markers[system],
            )
            for system in everybody
        ]
        notes = lineage_note(display, everybody)
        for note in notes:
            note.set_label(note.get_label().split(": ", 1)[1])
        figure.legend(
            handles=[*handles, *notes], loc="outside lower center", ncols=11, frameon=False
        )
    return figure


def _draw_system(
    axis: Axes, config: Mapping, cells: Cells, panel: Mapping, system: str, marker: Mapping
) -> None:
    study = config["study"]
    points = [
        [
            cells.value(side["metric"], system, side.get("attacker"), dataset["name"], gender).value
            for side in (panel["x"], panel["y"])
        ]
        for role in config["form"]["datasets"]
        for dataset in study["datasets"][role]
        for gender in dataset["genders"]
    ]
    axis.plot(
        *zip(*points, strict=True),
        linestyle="",
        markersize=SIZE,
        markeredgewidth=0.8,
        **marker,
    )


def _one_attacker(panel: Mapping) -> str | None:
    """Return the attacker that both axes share, if there is one."""
    x, y = (panel[side].get("attacker") for side in "xy")
    return x if x == y else None


def _axis_label(display: Mapping, side: Mapping, *, both: bool) -> str:
    label = metric_name(display, side["metric"])
    if both and has_attacker(side["metric"]):
        attacker = display["attackers"].get(side["attacker"], side["attacker"])
        return f"{label}, {attacker}"
    return label
