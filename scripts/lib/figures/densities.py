"""Densities of target and nontarget scores with local linkability (vpc2020 section 7.8)."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import gaussian_kde

from scripts.lib.figures.style import STYLE, dataset_label, system_label
from scripts.lib.metrics import linkability, local_linkability
from scripts.lib.tables import GENDERS

TARGET = {"color": "#8073ac", "linestyle": "--", "label": "same speaker"}
NONTARGET = {"color": "#e66101", "linestyle": ":", "label": "different speakers"}
LOCAL = {"color": "#2d004b", "linestyle": "-", "label": "local linkability D(s)"}
Scores = tuple[np.ndarray, np.ndarray]


def score_densities(config: Mapping, files: Sequence[tuple[Mapping, Scores]]) -> Figure:
    """Draw systems from top to bottom and attackers from left to right.

    Parameters
    ----------
    config
        The figure's `form`, the `study`'s choices and the `display` settings.
    files
        What each list of scores holds, and its target and nontarget scores.
    """
    display, attackers = config["display"], config["attackers"]
    by_system: dict[str, list] = {}
    for ids, scores in files:
        by_system.setdefault(ids["system"], []).append((ids, scores))
    with mpl.rc_context(STYLE):
        size = (0.6 + 3.2 * len(attackers), 0.8 + 1.9 * len(by_system))
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(len(by_system), len(attackers), squeeze=False)
        for row, shown in zip(axes, by_system.values(), strict=True):
            for axis in row[len(shown) :]:
                axis.set_axis_off()
            for axis, (ids, scores) in zip(row, shown, strict=False):
                right = _draw_panel(axis, scores)
                attacker = display["attackers"].get(ids["attacker"], ids["attacker"])
                title = f"{system_label(display, ids['system'])}, {attacker}"
                axis.set_title(f"{title}: D_sys = {linkability(*scores):.2f}", fontsize=9)
                last = axis is row[len(shown) - 1]
                right.set_ylabel("D(s)" if last else "")
            row[0].set_ylabel("density")
        for axis in axes[-1]:
            axis.set_xlabel("score")
        handles = [mpl.lines.Line2D([], [], **style) for style in (TARGET, NONTARGET, LOCAL)]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
        ids = files[0][0]
        name = dataset_label(display, ids["dataset"])
        figure.suptitle(f"{name}, {GENDERS[ids['gender']]}", fontsize=10)
    return figure


def _draw_panel(axis: Axes, scores: Scores) -> Axes:
    low, high = min(map(np.min, scores)), max(map(np.max, scores))
    grid = np.linspace(low, high, 300)
    for values, style in zip(scores, (TARGET, NONTARGET), strict=True):
        # Equal scores have no spread that a kernel could follow.
        if np.ptp(values) > 0:
            axis.plot(grid, gaussian_kde(values)(grid), linewidth=1.4, **style)
    axis.set_ylim(bottom=0)
    right = axis.twinx()
    local = local_linkability(*scores)
    right.plot(local.score, local.linkability, linewidth=1.0, **LOCAL)
    zero = np.flatnonzero(local.linkability == 0)
    if zero.size:
        right.axvline(local.score[zero[0]], color="black", linestyle=(0, (4, 4)), linewidth=0.6)
    right.set_ylim(0, 1.1)
    return right
