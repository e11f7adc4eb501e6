"""Pool-adjacent-violators calibration shared by all calibrated metrics (vpc2020 section 7.2).

A target is always pooled with the non-targets that follow it up to the next target, so the
algorithm runs over the T targets rather than over all trials: non-targets per target must fall as
scores rise, which is an isotonic regression.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from scripts.lib.metrics.ranking import Ranking, rank_scores

RAMP = 1e-6
TieOrder = Literal["nontarget_first", "target_first"]


@dataclass(frozen=True)
class PavBlocks:
    """Pooled blocks in ascending order of score.

    Attributes
    ----------
    target, nontarget
        Trials of each class per block, shape (blocks,).
        The first block may hold no target: the non-targets below every target.
    ramp_target, ramp_nontarget
        Mean over a block's trials of the ramp k·1e-6/(T+N), k being a trial's rank. The ramp
        moves a score by 1e-6 at most, so its mean stands for it to within 1e-12.
    """

    target: np.ndarray
    nontarget: np.ndarray
    ramp_target: np.ndarray
    ramp_nontarget: np.ndarray

    @cached_property
    def llr(self) -> np.ndarray:
        """Natural log-likelihood ratio of each block, without the ramp; ∓∞ at pure blocks."""
        with np.errstate(divide="ignore"):
            odds = np.log(self.target) - np.log(self.nontarget)
        return odds - np.log(self.target.sum() / self.nontarget.sum())

    @property
    def llr_target(self) -> np.ndarray:
        """LLR of the target trials of each block, ramp included."""
        return self.llr + self.ramp_target

    @property
    def llr_nontarget(self) -> np.ndarray:
        """LLR of the non-target trials of each block, ramp included."""
        return self.llr + self.ramp_nontarget


def pool(weight: np.ndarray, before: np.ndarray, n_nontarget: int) -> np.ndarray:
    """Return the index of the first target of every pooled block.

    Parameters
    ----------
    weight
        Trials per distinct target, in ascending order of score, all positive.
    before
        Number of non-target trials ahead of each target.
    n_nontarget
        Number of non-target trials N.

    Examples
    --------
    >>> pool(np.array([1, 1, 1]), np.array([0, 0, 2]), 3).tolist()  # order: t t n n t n
    [0]
    >>> pool(np.array([1, 1, 1]), np.array([2, 2, 3]), 3).tolist()  # order: n n t t n t
    [0, 2]
    """
    followers = np.diff(before, append=n_nontarget)
    return isotonic_regression(-followers / weight, weights=weight).blocks[:-1]


def pav_blocks(ranking: Ranking, ties: TieOrder) -> PavBlocks:
    """Pool a weighted list.

    Parameters
    ----------
    ranking
        The sorted list.
    ties
        Which class comes first among equal scores. With `target_first`, tied scores end up in one
        block; with `nontarget_first` they are told apart, which flatters the calibration.
    """
    weight, before, at = _occurring(ranking, ties)
    total = ranking.n_nontarget
    starts = pool(weight, before, total)
    target = np.add.reduceat(weight, starts)
    nontarget = np.diff(before[starts], append=total)
    ramp_target = np.add.reduceat(weight * (before + at + (weight - 1) / 2), starts)
    if before[0]:  # non-targets below every target
        target, nontarget = np.append(0, target), np.append(before[0], nontarget)
        ramp_target = np.append(0.0, ramp_target)
    size = (target + nontarget).astype(np.float64)
    end = np.cumsum(size)
    ramp_all = size * (end - (size + 1) / 2)
    step = RAMP / end[-1]
    return PavBlocks(
        target=target,
        nontarget=nontarget,
        ramp_target=step * ramp_target / np.maximum(target, 1),
        ramp_nontarget=step * (ramp_all - ramp_target) / np.maximum(nontarget, 1),
    )


def log_odds(
    weight: np.ndarray, before: np.ndarray, n_nontarget: int, *, laplace: bool
) -> np.ndarray:
    """Return the pooled posterior log odds of every target and of what follows it, shape (T + 1,).

    Parameters
    ----------
    weight, before, n_nontarget
        As in `pool`.
    laplace
        Apply Laplace's rule of succession: labels are wrapped as [1, 0, …, 1, 0] before pooling
        and the four extra ones dropped afterwards.

    Returns
    -------
    array
        Item 0 belongs to the non-targets below every target, item i to target i − 1 and the
        non-targets up to the next target.

    Examples
    --------
    >>> odds = log_odds(np.array([1, 1]), np.array([2, 2]), 2, laplace=True)
    >>> np.exp(odds).round(3).tolist()  # order: (1 0) n n t t (1 0)
    [0.333, 3.0, 3.0]
    """
    if laplace:
        weight = np.concatenate([[1], weight, [1]])
        before = np.concatenate([[0], before + 1, [n_nontarget + 1]])
        n_nontarget += 2
    starts = pool(weight, before, n_nontarget)
    with np.errstate(divide="ignore"):
        odds = np.log(np.add.reduceat(weight, starts))
        odds -= np.log(np.diff(before[starts], append=n_nontarget))
    by_target = np.repeat(odds, np.diff(starts, append=weight.size))
    return by_target[:-1] if laplace else np.append(-np.inf, by_target)


def laplace_extremes(ranking: Ranking) -> tuple[float, float]:
    """Return the lowest and the highest LLR of a list under Laplace's rule, ramp included.

    Non-targets come first among ties; prior odds stay T/N.
    """
    weight, before, _ = _occurring(ranking, "nontarget_first")
    odds = log_odds(weight, before, ranking.n_nontarget, laplace=True)
    prior = np.log(ranking.n_target / ranking.n_nontarget)
    size = ranking.n_target + ranking.n_nontarget
    lowest = odds[0] if before[0] else odds[1]
    return float(lowest - prior), float(odds[-1] - prior + RAMP * (size - 1) / size)


def pav_llr(
    target: ArrayLike,
    nontarget: ArrayLike,
    *,
    ties: TieOrder = "nontarget_first",
    laplace: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Calibrate every score of a list into a natural log-likelihood ratio, ramp included.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).
    ties
        Which class comes first among equal scores.
    laplace
        Wrap the labels as [1, 0, …, 1, 0], which keeps every LLR finite.

    Returns
    -------
    tuple of arrays
        LLRs of the targets and of the non-targets, in the order given.

    Examples
    --------
    >>> target, nontarget = pav_llr([3.0, 1.0], [0.0, 2.0])
    >>> target.round(3).tolist(), nontarget.round(3).tolist()
    ([inf, 0.0], [-inf, 0.0])
    """
    ranking = rank_scores(target, nontarget)
    weight, before, at = _occurring(ranking, ties)
    total = ranking.n_nontarget
    llr = log_odds(weight, before, total, laplace=laplace) - np.log(weight.size / total)
    ahead = np.searchsorted(before, np.arange(total), side="right")  # targets ahead of each
    step = RAMP / (weight.size + total)
    sorted_target = llr[1:] + step * (before + at)
    sorted_nontarget = llr[ahead] + step * (ahead + np.arange(total))
    return _unsort(target, sorted_target), _unsort(nontarget, sorted_nontarget)


def _occurring(ranking: Ranking, ties: TieOrder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight of the targets with weight > 0, trials of either class ahead of each."""
    if ties not in ("nontarget_first", "target_first"):
        raise ValueError(f"ties is {ties!r}: use 'nontarget_first' or 'target_first'")
    before = ranking.upto if ties == "nontarget_first" else ranking.below
    weight, at = ranking.weight, ranking.target_cumulative[:-1]
    if weight.all():
        return weight, before, at
    kept = weight > 0
    return weight[kept], before[kept], at[kept]


def _unsort(scores: ArrayLike, values: np.ndarray) -> np.ndarray:
    result = np.empty_like(values)
    result[np.argsort(np.asarray(scores), kind="stable")] = values
    return result
