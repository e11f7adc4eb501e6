"""Heat maps of voice similarity: original and anonymized speakers (vpc2020 section 7.9)."""

from collections.abc import Mapping, Sequence
from math import ceil

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from scripts.lib.figures.style import STYLE, dataset_label, panel_letter, system_label
from scripts.lib.metrics import full_matrix
from scripts.lib.tables import GENDERS

COLUMNS = 6
Matrices = Mapping[str, np.ndarray]


def similarity_matrices(config: Mapping, files: Sequence[tuple[Mapping, Matrices]]) -> Figure:
    """Draw one picture of all pairs of voices per system, and a row per kind of model.

    Parameters
    ----------
    config
        The figure's `form`, the `study`'s choices and the `display` settings.
    files
        What each archive holds, and its matrices `oo`, `oa` and `aa`.
    """
    display, trainings = config["display"], config["form"]["asv_training"]
    by_training = [
        [item for item in files if item[0]["asv_training"] == training] for training in trainings
    ]
    # One kind of model fills several rows of the page; two kinds make a row each.
    columns = min(COLUMNS, len(by_training[0])) if len(trainings) == 1 else len(by_training[0])
    rows = ceil(len(files) / columns)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(0.9 + 1.9 * columns, 0.9 + 2.1 * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        image = None
        for number, axis in enumerate(axes.ravel()):
            if number >= len(files):
                axis.set_axis_off()
                continue
            ids, matrices = files[number]
            image = _draw_panel(axis, matrices)
            title = f"{panel_letter(number)} {system_label(display, ids['system'])}"
            axis.set_title(title, fontsize=9)
            if len(trainings) > 1 and number % columns == 0:
                axis.set_ylabel(f"model of {ids['asv_training']}\nspeech")
        figure.colorbar(image, ax=axes, shrink=0.7, label="voice similarity")
        ids = files[0][0]
        name = dataset_label(display, ids["dataset"])
        figure.suptitle(f"{name}, {GENDERS[ids['gender']]}", fontsize=10)
    return figure


def _draw_panel(axis: Axes, matrices: Matrices) -> AxesImage:
    whole = full_matrix(matrices["oo"], matrices["oa"], matrices["aa"])
    # From black to white without a break, so that print in grey keeps the order.
    image = axis.imshow(whole, cmap="cividis", vmin=0, vmax=1, interpolation="nearest")
    middle = len(whole) / 2 - 0.5
    for line in (axis.axhline, axis.axvline):
        line(middle, color="white", linewidth=0.8)
    ends = [middle / 2 - 0.25, middle + len(whole) / 4]
    axis.set_xticks(ends, ["original", "anonymized"], fontsize=7)
    axis.set_yticks(ends, ["o", "a"], fontsize=8)
    axis.tick_params(length=0)
    return image
