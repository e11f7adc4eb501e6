"""Equal error rate on the convex hull of the ROC curve (vpc2020 section 7.4)."""

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.pav import PavBlocks, pav_blocks, pool
from scripts.lib.metrics.ranking import rank_scores


def rocch_eer(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Return the ROC convex hull's equal error rate, between 0 and 0.5.

    The hull's vertices are the borders of the PAV blocks; the line through every slanted edge is
    cut with P_fa = P_miss, and the largest value counts (0 if no edge is slanted).

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Examples
    --------
    >>> rocch_eer([1.0, 3.0], [0.0, 2.0])
    0.25
    """
    return rocch_eer_of(pav_blocks(rank_scores(target, nontarget), "nontarget_first"))


def rocch_eer_of(blocks: PavBlocks) -> float:
    """Return the convex hull's equal error rate of pooled blocks."""
    return _largest_crossing(blocks.target, blocks.nontarget)


def rocch_eer_of_counts(weight: np.ndarray, below: np.ndarray, n_nontarget: int) -> float:
    """Return the convex hull's equal error rate when only counts of non-targets are known.

    Parameters
    ----------
    weight
        Trials per target, in ascending order of score, all positive.
    below
        Number of non-target trials that score less than each target. Equal scores then end up in
        one block, so that they are not told apart.
    n_nontarget
        Number of non-target trials.

    Examples
    --------
    >>> rocch_eer_of_counts(np.array([1, 1]), np.array([1, 2]), 2)  # order: n t n t
    0.25
    """
    starts = pool(weight, below, n_nontarget)
    target = np.add.reduceat(weight, starts)
    nontarget = np.diff(below[starts], append=n_nontarget)
    if below[0]:  # non-targets below every target
        target, nontarget = np.append(0, target), np.append(below[0], nontarget)
    return _largest_crossing(target, nontarget)


def _largest_crossing(target: np.ndarray, nontarget: np.ndarray) -> float:
    miss, accept = target / target.sum(), nontarget / nontarget.sum()
    slanted = (miss > 0) & (accept > 0)
    if not slanted.any():
        return 0.0
    p_miss = np.cumsum(miss) - miss
    p_fa = 1.0 - (np.cumsum(accept) - accept)
    part = (p_fa - p_miss)[slanted] / (miss + accept)[slanted]
    return float((p_miss[slanted] + part * miss[slanted]).max())
