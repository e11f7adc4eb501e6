"""Cost of log-likelihood ratios, raw and after calibration (vpc2020 section 7.3)."""

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.pav import PavBlocks, pav_blocks
from scripts.lib.metrics.ranking import Ranking, rank_scores


def cllr(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Return C_llr in bits of scores taken as natural log-likelihood ratios.

    C_llr = ½ [mean over targets of log₂(1 + e^−s) + mean over non-targets of log₂(1 + e^s)].

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Examples
    --------
    >>> cllr([0.0, 0.0], [0.0])  # no evidence costs one bit
    1.0
    """
    return cllr_of(rank_scores(target, nontarget))


def cllr_of(ranking: Ranking) -> float:
    """Return C_llr of a weighted list."""
    target_loss, nontarget_loss = ranking.scores.losses
    target = float(ranking.weight @ target_loss) / ranking.n_target
    nontarget = float(np.diff(ranking.nontarget_cumulative) @ nontarget_loss)
    return (target + nontarget / ranking.n_nontarget) / 2


def cllr_min(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Return C_llr after optimal (PAV) calibration: 0 if separable, 1 if scores tell nothing.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Examples
    --------
    >>> round(cllr_min([1.0, 3.0], [0.0, 2.0]), 5)
    0.5
    >>> cllr_min([1.0], [0.0])
    0.0
    """
    return cllr_min_of(pav_blocks(rank_scores(target, nontarget), "nontarget_first"))


def cllr_min_of(blocks: PavBlocks) -> float:
    """Return the calibrated C_llr of pooled blocks."""
    target = _mean_cost(-blocks.llr_target, blocks.target)
    return (target + _mean_cost(blocks.llr_nontarget, blocks.nontarget)) / 2


def _mean_cost(exponent: np.ndarray, count: np.ndarray) -> float:
    """Mean of log₂(1 + e^x); blocks without a trial of the class may have x = ∞."""
    kept = count > 0
    cost = np.logaddexp(0.0, exponent[kept]) / np.log(2)
    return float(cost @ count[kept]) / float(count.sum())
