"""Linkability D_sys and its local measure (vpc2020 section 7.8)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.ranking import Ranking, rank_scores

MAX_BINS = 100
TARGETS_PER_BIN = 10


class LocalLinkability(NamedTuple):
    """Per bin of scores: centre, densities of both classes, and local linkability."""

    score: np.ndarray
    target_density: np.ndarray
    nontarget_density: np.ndarray
    linkability: np.ndarray


def linkability(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Return the global linkability D_sys of equally likely classes (ω = 1).

    Scores are binned into min(⌊T/10⌋, 100) equal parts of their range, and D_sys is the trapezoid
    over bin centres of local linkability times target density. The trapezoid leaves out half of
    both outer bins. Below 20 targets there are fewer than two bins, and D_sys is 0 by definition:
    such a value says nothing about privacy.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Examples
    --------
    >>> scores = np.linspace(0.0, 1.0, 100)
    >>> linkability(scores, scores)
    0.0
    """
    return linkability_of(rank_scores(target, nontarget))


def local_linkability(target: ArrayLike, nontarget: ArrayLike) -> LocalLinkability:
    """Return the local measure D = max(0, (LR − 1)/(LR + 1)) per bin, for plots.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Examples
    --------
    >>> local = local_linkability(np.linspace(0.5, 1.5, 20), np.linspace(0.0, 1.0, 20))
    >>> local.linkability.round(3).tolist()
    [0.0, 0.5]
    """
    return local_linkability_of(rank_scores(target, nontarget))


def linkability_of(ranking: Ranking) -> float:
    """Return the global linkability of a weighted list."""
    local = local_linkability_of(ranking)
    return float(np.trapezoid(local.linkability * local.target_density, local.score))


def local_linkability_of(ranking: Ranking) -> LocalLinkability:
    """Return the local linkability of a weighted list."""
    scores = ranking.scores
    low_target, high_target = _range(scores.target, ranking.target_cumulative)
    low_other, high_other = _range(scores.nontarget, ranking.nontarget_cumulative)
    low, high = min(low_target, low_other), max(high_target, high_other)
    bins = min(ranking.n_target // TARGETS_PER_BIN, MAX_BINS)
    edges = np.linspace(low, high, bins + 1)
    width = np.diff(edges)
    if not np.all(width > 0):  # a single score value, or a range too small to divide
        return LocalLinkability(*np.zeros((4, 0)))
    y1 = _density(scores.target, ranking.target_cumulative, edges, width)
    y2 = _density(scores.nontarget, ranking.nontarget_cumulative, edges, width)
    ratio = np.divide(y1, y2, out=np.ones_like(y1), where=y2 != 0)
    local = np.where(ratio > 1, 2 * (ratio / (1 + ratio)) - 1, 0.0)
    local[(y2 == 0) & (y1 > 0)] = 1.0
    return LocalLinkability((edges[1:] + edges[:-1]) / 2, y1, y2, local)


def _range(scores: np.ndarray, cumulative: np.ndarray) -> tuple[float, float]:
    """Lowest and highest score that occurs."""
    first = np.searchsorted(cumulative, 0, side="right") - 1
    last = np.searchsorted(cumulative, cumulative[-1], side="left") - 1
    return float(scores[first]), float(scores[last])


def _density(
    scores: np.ndarray, cumulative: np.ndarray, edges: np.ndarray, width: np.ndarray
) -> np.ndarray:
    at = np.append(
        np.searchsorted(scores, edges[:-1], side="left"),
        np.searchsorted(scores, edges[-1:], side="right"),  # the last bin includes its upper edge
    )
    return np.diff(cumulative[at]) / width / cumulative[-1]
