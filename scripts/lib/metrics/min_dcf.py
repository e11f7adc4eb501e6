"""Minimum detection cost at a low prior of the target."""

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.ranking import Ranking, rank_scores


def min_dcf(target: ArrayLike, nontarget: ArrayLike, p_target: float = 0.01) -> float:
    """Return the smallest normalised detection cost over all thresholds, between 0 and 1.

    min over θ of [π·P_miss + (1−π)·P_fa] / min(π, 1−π) with unit costs, as in the NIST
    evaluations: 1 is the cost of always giving the cheaper answer. SpeechBrain's `minDCF` lacks
    the division by min(π, 1−π) and does not try a threshold below all scores.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).
    p_target
        Prior probability π of a target.

    Examples
    --------
    >>> min_dcf([2.0, 3.0], [0.0, 1.0, 2.5], p_target=0.5)  # accept above 1.5: one false alarm
    0.3333333333333333
    """
    if not 0.0 < p_target < 1.0:
        raise ValueError(f"p_target lies between 0 and 1, not at {p_target}")
    return min_dcf_of(rank_scores(target, nontarget), p_target)


def min_dcf_of(ranking: Ranking, p_target: float) -> float:
    """Return the minimum normalised detection cost of a weighted list."""
    # For each threshold just below a target; among tied targets, the first is the threshold. Any
    # other threshold accepts more non-targets for the same targets, or nobody at all.
    p_miss = ranking.target_cumulative[:-1] / ranking.n_target
    p_fa = (ranking.n_nontarget - ranking.below) / ranking.n_nontarget
    cost = np.min(p_target * p_miss + (1 - p_target) * p_fa)
    return float(min(cost, p_target) / min(p_target, 1 - p_target))
