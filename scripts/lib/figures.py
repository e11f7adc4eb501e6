"""Draw tidy metric rows in the forms of the published figures."""

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from scripts.lib.files import atomic_path
from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM
from scripts.lib.tables import GENDERS

# Light to dark, so that the order survives in grey and for colour-blind readers.
SHADES = ("#c6dbef", "#6baed6", "#08519c")
REFERENCE_SHADE = "#999999"
# Text stays text in the PDF, and the files carry no date: same numbers, same bytes.
STYLE = {"pdf.fonttype": 42, "font.size": 9, "svg.hashsalt": "voiceprivacy"}


def save_figure(figure: Figure, pdf: str | Path, png: str | Path) -> None:
    """Write a figure as vector and as picture, without a date inside."""
    with mpl.rc_context(STYLE):
        with atomic_path(pdf) as temporary:
            figure.savefig(temporary, metadata={"CreationDate": None})
        with atomic_path(png) as temporary:
            figure.savefig(temporary, dpi=150, metadata={"Software": None})


def attacker_bars(config: Mapping, metrics: pd.DataFrame) -> Figure:
    """Draw one panel per dataset: bars of all attackers over each other, the strongest in front.

    Parameters
    ----------
    config
        The figure's `form`, the `study`'s choices and the `display` settings.
    metrics
        Tidy rows with columns metric, system, attacker, dataset, gender, value, low and high.
    """
    study, display = config["study"], config["display"]
    datasets = [d for role in config["form"]["datasets"] for d in study["datasets"][role]]
    with mpl.rc_context(STYLE):
        width = 1.5 + 1.1 * len(study["systems"]) * len(datasets)
        figure = Figure(figsize=(max(5.0, width), 3.4), layout="constrained")
        panels = figure.subplots(1, len(datasets), sharey=True, squeeze=False)[0]
        for panel, dataset in zip(panels, datasets, strict=True):
            _draw_panel(panel, config, metrics, dataset)
            panel.set_title(display["datasets"].get(dataset["name"], dataset["name"]))
        shown = display["metrics"][config["form"]["metric"]]
        panels[0].set_ylabel(f"{shown['label']} ({shown['unit']})")
        handles, labels = panels[0].get_legend_handles_labels()
        unique = dict(zip(labels, handles, strict=True))
        figure.legend(
            unique.values(), unique.keys(), loc="outside lower center", ncols=4, frameon=False
        )
    return figure


def _draw_panel(panel: Axes, config: Mapping, metrics: pd.DataFrame, dataset: Mapping) -> None:
    study, display = config["study"], config["display"]
    rows = metrics[
        (metrics["metric"] == config["form"]["metric"]) & (metrics["dataset"] == dataset["name"])
    ]
    genders = dataset["genders"]
    bar = 0.8 / len(genders)
    for place, system in enumerate(study["systems"]):
        reference = system == REFERENCE_SYSTEM
        attackers = [REFERENCE_ATTACKER] if reference else study["attackers"]
        for number, gender in enumerate(genders):
            x = place + (number - (len(genders) - 1) / 2) * bar
            for shade, attacker in enumerate(attackers):
                cell = rows[
                    (rows["system"] == system)
                    & (rows["attacker"] == attacker)
                    & (rows["gender"] == gender)
                ]
                if cell.empty:
                    raise ValueError(
                        f"{config['name']}: no {config['form']['metric']} of system {system}, "
                        f"attacker {attacker}, {dataset['name']} {gender}"
                    )
                value, low, high = (
                    100 * pd.to_numeric(cell[name]).mean() for name in ("value", "low", "high")
                )
                panel.bar(
                    x,
                    value,
                    width=0.9 * bar,
                    color=REFERENCE_SHADE if reference else SHADES[shade % len(SHADES)],
                    edgecolor="black",
                    linewidth=0.6,
                    zorder=2 + shade,
                    label=display["attackers"].get(attacker, attacker),
                )
                # Beside each other, because bars of one place share their middle.
                offset = (shade - (len(attackers) - 1) / 2) * 0.2 * bar
                panel.errorbar(
                    x + offset,
                    value,
                    yerr=[[max(0.0, value - low)], [max(0.0, high - value)]],
                    color="black",
                    linewidth=0.8,
                    capsize=2,
                    zorder=10,
                )
            panel.annotate(
                GENDERS[gender][0],
                (x, 0),
                (0, -3),
                textcoords="offset points",
                ha="center",
                va="top",
            )
    labels = [display["systems"].get(system, system) for system in study["systems"]]
    panel.set_xticks(range(len(labels)), labels)
    panel.tick_params(axis="x", length=0, pad=14)
    panel.set_ylim(bottom=0)
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", linewidth=0.4, zorder=0)


FORMS = {"attacker_bars": attacker_bars}
