"""Empirical cross-entropy over the prior, one curve per system (vpc2020 section 7.7)."""

from collections.abc import Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from scripts.lib.figures.style import STYLE, dataset_label, panel_letter, system_label
from scripts.lib.metrics import ece_profile, zebra
from scripts.lib.reference import REFERENCE_SYSTEM
from scripts.lib.tables import GENDERS

# Colour and dashes change at different rates, so that neighbours differ in grey too.
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
Scores = tuple[np.ndarray, np.ndarray]


def ece_profiles(config: Mapping, files: Sequence[tuple[Mapping, Scores]]) -> Figure:
    """Draw one panel per attacker: curves of all systems below the one without evidence.

    Parameters
    ----------
    config
        The figure's `form`, the `study`'s choices and the `display` settings.
    files
        What each list of scores holds, and its target and nontarget scores.
    """
    display, attackers = config["display"], config["attackers"]
    colours = dict(zip(config["systems"], mpl.colormaps["tab20"].colors, strict=False))
    with mpl.rc_context(STYLE):
        rows = max(1, len(config["systems"]))
        size = (0.6 + 4.6 * len(attackers), 3.4 + 0.18 * (rows + 1))
        figure = Figure(figsize=size, layout="constrained")
        axes = figure.subplots(1, len(attackers), sharey=True, squeeze=False)[0]
        for number, (axis, attacker) in enumerate(zip(axes, attackers, strict=True)):
            shown = [
                (ids["system"], zebra(*scores), ece_profile(*scores))
                for ids, scores in files
                if ids["attacker"] == attacker or ids["system"] == REFERENCE_SYSTEM
            ]
            zero = shown[0][2]
            label = "perfect privacy (0, 0, 0)"
            axis.plot(zero.logit_prior, zero.zero_evidence, color="black", linewidth=2, label=label)
            # The legend lists the best protected first.
            for system, disclosure, profile in sorted(shown, key=lambda item: item[1].d_ece):
                axis.plot(
                    profile.logit_prior,
                    profile.ece,
                    color=colours.get(system, "grey"),
                    linestyle=DASHES[config["systems"].index(system) % len(DASHES)],
                    linewidth=1.6,
                    label=f"{system_label(display, system)} {disclosure_note(*disclosure)}",
                )
            axis.set(xlabel="logit(π)", xlim=(-10, 10), ylim=(0, 1.4))
            title = display["attackers"].get(attacker, attacker)
            axis.set_title(f"{panel_letter(number)} {title}")
            axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False, fontsize=8)
            axis.grid(linewidth=0.4)
        axes[0].set_ylabel("ECE (bit)")
        ids = files[0][0]
        name = f"{dataset_label(display, ids['dataset'])}, {GENDERS[ids['gender']]}"
        figure.suptitle(f"{name}: (D_ECE, log10 l, tag)", fontsize=10)
    return figure


def disclosure_note(d_ece: float, worst_case: float, tag: str) -> str:
    """Return (D_ECE, log10 l, tag) in the form of ZEBRA's legends.

    Examples
    --------
    >>> disclosure_note(0.58, 3.978, "C"), disclosure_note(3e-5, 0.0, "0")
    ('(0.580, 3.978, C)', '(3e-05, 0, 0)')
    """
    numbers = [
        "0" if number == 0 else f"{number:.3f}" if number >= 5e-4 else f"{number:.0e}"
        for number in (d_ece, worst_case)
    ]
    return f"({', '.join([*numbers, tag])})"
