"""What all figures share: shades, markers, labels of systems, and how files are written."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from scripts.lib.files import atomic_path
from scripts.lib.reference import REFERENCE_SYSTEM

# Light to dark, so that the order survives in grey and for colour-blind readers.
SHADES = ("#c6dbef", "#6baed6", "#08519c")
REFERENCE_SHADE = "#999999"
HATCHES = {"f": "", "m": "////"}
# Blue, vermillion and black differ for colour-blind readers, the type faces in grey print.
LINEAGES = {
    "b1": {"color": "#0072b2", "fontstyle": "normal", "fontweight": "bold"},
    "b2": {"color": "#d55e00", "fontstyle": "italic", "fontweight": "bold"},
}
UNRELATED = {"color": "black", "fontstyle": "normal", "fontweight": "normal"}
# Ten shapes that stay apart when small, first open and then filled.
SHAPES = "os^vDPX<>*"
# Text stays text in the PDF, and the files carry no date: same numbers, same bytes.
STYLE = {
    "pdf.fonttype": 42,
    "font.size": 9,
    "svg.hashsalt": "voiceprivacy",
    "hatch.linewidth": 0.5,
    "mathtext.default": "regular",
}


def save_figure(figure: Figure, pdf: str | Path, png: str | Path) -> None:
    """Write a figure as vector and as picture, without a date inside."""
    with mpl.rc_context(STYLE):
        with atomic_path(pdf) as temporary:
            figure.savefig(temporary, metadata={"CreationDate": None})
        with atomic_path(png) as temporary:
            figure.savefig(temporary, dpi=150, metadata={"Software": None})


def system_label(display: Mapping, system: str) -> str:
    """Return the printed name of a system."""
    return display["systems"].get(system, system)


def dataset_label(display: Mapping, dataset: str) -> str:
    """Return the printed name of a dataset."""
    return display["datasets"].get(dataset, dataset)


def lineage_style(display: Mapping, system: str) -> dict:
    """Return colour and type face of a system's label: what the system was made from."""
    for name, family in display["lineages"].items():
        if system in family["systems"]:
            return LINEAGES.get(name, UNRELATED)
    return UNRELATED


def name_systems(panel: Axes, systems: Sequence[str], display: Mapping, **settings: float) -> None:
    """Write the names of systems below a panel, in the style of their lineage."""
    panel.set_xticks(range(len(systems)), [system_label(display, system) for system in systems])
    panel.tick_params(axis="x", length=0, **settings)
    for label, system in zip(panel.get_xticklabels(), systems, strict=True):
        label.set(**lineage_style(display, system))


def lineage_note(display: Mapping, systems: Sequence[str]) -> list[Line2D]:
    """Return legend entries that explain colours and type faces of labels."""
    present = [
        (LINEAGES[name], family["label"])
        for name, family in display["lineages"].items()
        if name in LINEAGES and any(system in family["systems"] for system in systems)
    ]
    return [
        Line2D([], [], linewidth=4, color=style["color"], label=_note(style, label))
        for style, label in present
    ]


def _note(style: Mapping, label: str) -> str:
    face = "italic" if style["fontstyle"] == "italic" else "bold"
    return f"name in {face}: {label}"


def markers_of(display: Mapping, systems: Sequence[str]) -> dict[str, dict]:
    """Return shape, filling and colour of each system: no two look the same in grey."""
    others = [system for system in systems if system != REFERENCE_SYSTEM]
    if len(others) > 2 * len(SHAPES):
        raise ValueError(f"{len(others)} systems, but only {2 * len(SHAPES)} markers for them")
    markers = {REFERENCE_SYSTEM: {"marker": "+", "color": UNRELATED["color"]}}
    for number, system in enumerate(others):
        colour = lineage_style(display, system)["color"]
        filled, shape = divmod(number, len(SHAPES))
        markers[system] = {
            "marker": SHAPES[shape],
            "color": colour,
            "markerfacecolor": colour if filled else "none",
        }
    return markers


def panel_letter(number: int) -> str:
    """Return (a), (b), … for the panels of a figure.

    Examples
    --------
    >>> panel_letter(0), panel_letter(27)
    ('(a)', '(ab)')
    """
    letters = "abcdefghijklmnopqrstuvwxyz"
    prefix = letters[number // 26 - 1] if number >= 26 else ""
    return f"({prefix}{letters[number % 26]})"
