"""Curves of the legal framework: a row of panels per metric, a column per conversation length."""

from collections.abc import Mapping

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from scripts.lib.figures.style import STYLE, system_label
from scripts.lib.legal.report import attacker_heading, curves_of

ROWS = {
    "singling_out": ("Singling Out", "test speakers"),
    "linkability": ("Linkability", "enrolled speakers"),
    "one_minus_eer": ("$1-$EER", "enrolled speakers"),
}
# Colours that colour-blind readers tell apart, and dashes that grey print does.
LINES = {
    "original": {"color": "black", "linestyle": "-", "marker": "o"},
    "informed": {"color": "#d55e00", "linestyle": "-", "marker": "s"},
    "semi_informed": {"color": "#0072b2", "linestyle": "--", "marker": "^"},
    "ignorant": {"color": "#009e73", "linestyle": "-.", "marker": "v"},
}
CHANCE = {"color": "#666666", "linestyle": ":", "linewidth": 1.2}
FLOOR = {"color": "#cc79a7", "linestyle": (0, (1, 2)), "linewidth": 1.6}
# Markers would hide a curve of more points than this.
MOST_MARKERS = 25


def legal_curves(config: Mapping, rows: pd.DataFrame) -> Figure:
    """Draw every curve of a legal evaluation with its chance level.

    Parameters
    ----------
    config
        What `LegalPlan.report_config` returns.
    rows
        Tidy rows of all curves.
    """
    curves = curves_of(rows, config)
    lengths = sorted(curves["length"].unique())
    limits = curves["speakers"].min() * 0.85, curves["speakers"].max() * 1.18
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(1.3 + 2.7 * len(lengths), 8.4), layout="constrained")
        panels = figure.subplots(len(ROWS), len(lengths), sharex=True, sharey=True, squeeze=False)
        for line, (metric, (name, axis)) in zip(panels, ROWS.items(), strict=True):
            line[0].set_ylabel(name)
            for panel, length in zip(line, lengths, strict=True):
                chosen = (curves["metric"] == metric) & (curves["length"] == length)
                _draw_panel(panel, curves[chosen])
                panel.set_xlabel(axis, fontsize=8)
                panel.set_xlim(*limits)
        for panel, length in zip(panels[0], lengths, strict=True):
            noun = "utterance" if length == 1 else "utterances"
            panel.set_title(f"L = {length} {noun}", fontsize=9)
        system = system_label(config["display"], config["system"])
        similar = system_label(config["display"], config["similar"])
        figure.suptitle(
            f"{config['title']}\nsystem under test {system}, similar system {similar}", fontsize=9
        )
        figure.legend(
            handles=_legend(config, curves), loc="outside lower center", ncols=2, fontsize=8
        )
    return figure


def _draw_panel(panel: Axes, points: pd.DataFrame) -> None:
    panel.set_xscale("log")
    panel.set_ylim(0, 1.03)
    panel.grid(color="#e5e5e5", linewidth=0.5)
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.tick_params(labelsize=8, labelbottom=True)
    if points.empty:
        panel.text(0.5, 0.5, "too few utterances", ha="center", transform=panel.transAxes)
        return
    for name, style in LINES.items():
        curve = points[points["attacker"] == name].sort_values("speakers")
        many = len(curve) > MOST_MARKERS
        shape = {**style, "marker": "" if many else style["marker"], "markersize": 3.5}
        panel.plot(curve["speakers"], curve["value"], linewidth=1.2, **shape)
        low, high = _band(curve)
        panel.fill_between(
            curve["speakers"], low, high, color=style["color"], alpha=0.15, linewidth=0
        )
    chance = points.drop_duplicates("speakers").sort_values("speakers")
    panel.plot(chance["speakers"], chance["chance"], **CHANCE)
    panel.plot(chance["speakers"], chance["floor"], **FLOOR)


def _band(curve: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the interval over speakers, or the spread of repetitions where there is none."""
    low = curve["low"].fillna(curve["value"] - curve["spread"])
    return low, curve["high"].fillna(curve["value"] + curve["spread"])


def _legend(config: Mapping, curves: pd.DataFrame) -> list[Line2D]:
    named = [condition["attacker"] for condition in config["conditions"]]
    lines = [
        Line2D([], [], **style, markersize=3.5, label=attacker_heading(name))
        for name, style in LINES.items()
        if name in named
    ]
    lines.append(Line2D([], [], **CHANCE, label="chance"))
    if curves["floor"].notna().any():
        label = "chance with a threshold from finitely many scores"
        lines.append(Line2D([], [], **FLOOR, label=label))
    return lines
