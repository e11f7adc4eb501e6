"""Draw results in the forms of the published figures."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from scripts.lib.figures.bars import attacker_bars, gender_means, sorted_bars
from scripts.lib.figures.densities import score_densities
from scripts.lib.figures.matrices import similarity_matrices
from scripts.lib.figures.profiles import ece_profiles
from scripts.lib.figures.scatter import scatter
from scripts.lib.figures.style import save_figure
from scripts.lib.manifest import read_table
from scripts.lib.reference import FILES_OF_FORM

FORMS = {
    "sorted_bars": sorted_bars,
    "attacker_bars": attacker_bars,
    "gender_means": gender_means,
    "scatter": scatter,
    "ece_profiles": ece_profiles,
    "score_densities": score_densities,
    "similarity_matrices": similarity_matrices,
}

__all__ = ["FORMS", "draw_figure", "save_figure"]


def draw_figure(config: Mapping, files: Sequence[str]) -> Figure:
    """Read what a figure's form is made from and draw it.

    Parameters
    ----------
    config
        The figure's `form`, the `study`'s choices, the `display` settings and, for forms made from
        scores or matrices, what each file holds: `drawn`.
    files
        Files of metric rows, scored trials or similarity matrices.
    """
    form = config["form"]["form"]
    kind = FILES_OF_FORM.get(form)
    if kind is None:
        rows = pd.concat([read_table(path) for path in files], ignore_index=True)
        return FORMS[form](config, rows)
    read = _scores if kind == "scores" else _matrices
    pairs = zip(config["drawn"], files, strict=True)
    return FORMS[form](config, [(ids, read(path)) for ids, path in pairs])


def _scores(path: str) -> tuple[np.ndarray, np.ndarray]:
    table = read_table(path)
    return tuple(table["score"][table["target"] == label].to_numpy() for label in (1, 0))


def _matrices(path: str) -> dict[str, np.ndarray]:
    with np.load(path) as archive:
        return {name: archive[name] for name in ("oo", "oa", "aa")}
