"""Rank the target and non-target scores of one trial list, once, for all score metrics.

Each class is sorted on its own and the targets are then located among the non-targets. All that a
score metric needs is in these positions, so that no metric sorts again, and a resampled list is
the same ranking with other weights.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike


def check_scores(scores: ArrayLike, name: str) -> np.ndarray:
    """Return one class of scores as a float64 vector, or say what is wrong with it.

    Parameters
    ----------
    scores
        One score per trial.
    name
        What the scores are called in an error message.

    Examples
    --------
    >>> check_scores([1, 2], "target")
    array([1., 2.])
    >>> check_scores([0.5, float("nan")], "target")
    Traceback (most recent call last):
    ValueError: 1 of 2 target scores is not finite (1 NaN, 0 infinite; first at position 1)
    """
    values = np.asarray(scores)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{name} scores must be real numbers, not {values.dtype}")
    values = values.astype(np.float64, copy=False)
    if values.ndim != 1:
        raise ValueError(f"{name} scores must be a 1-D array, not of shape {values.shape}")
    if not values.size:
        raise ValueError(f"no {name} scores: the trial list needs at least one {name} trial")
    bad = ~np.isfinite(values)
    if bad.any():
        count, nans = int(bad.sum()), int(np.isnan(values).sum())
        raise ValueError(
            f"{count} of {values.size} {name} scores {'is' if count == 1 else 'are'} not finite "
            f"({nans} NaN, {count - nans} infinite; first at position {int(bad.argmax())})"
        )
    return values


def check_labels(is_target: ArrayLike) -> np.ndarray:
    """Return labels 1 (same speaker) and 0 as booleans, or say which are neither.

    Examples
    --------
    >>> check_labels([1, 0])
    array([ True, False])
    >>> check_labels([1, 0, 2])
    Traceback (most recent call last):
    ValueError: 1 of 3 labels is neither 1 nor 0 (first: 2 at position 2)
    """
    labels = np.asarray(is_target)
    wrong = np.broadcast_to(True, labels.shape)
    if labels.dtype.kind in "biuf":
        wrong = (labels != 0) & (labels != 1)
    if wrong.any():
        first = int(wrong.argmax())
        raise ValueError(
            f"{int(wrong.sum())} of {labels.size} labels {'is' if wrong.sum() == 1 else 'are'} "
            f"neither 1 nor 0 (first: {labels.ravel()[first]} at position {first})"
        )
    return labels.astype(bool)


@dataclass(frozen=True)
class SortedScores:
    """Ascending scores of both classes, with the place of every target among the non-targets.

    Attributes
    ----------
    target, nontarget
        The scores in ascending order, shapes (T,) and (N,).

    Examples
    --------
    >>> scores = sort_scores([2.0, 1.0], [0.0, 2.0])
    >>> scores.below.tolist(), scores.upto.tolist()
    ([1, 1], [1, 2])
    """

    target: np.ndarray
    nontarget: np.ndarray

    @cached_property
    def below(self) -> np.ndarray:
        """Per target, how many non-targets score less: the tie order [target, non-target]."""
        return np.searchsorted(self.nontarget, self.target, side="left")

    @cached_property
    def upto(self) -> np.ndarray:
        """Per target, how many non-targets score no more: the tie order [non-target, target]."""
        return np.searchsorted(self.nontarget, self.target, side="right")

    @cached_property
    def has_cross_ties(self) -> bool:
        """Whether a target equals a non-target, so that the tie order matters."""
        return not np.array_equal(self.below, self.upto)

    @cached_property
    def single(self) -> "SortedScores":
        """The same scores in float32, in which both EER definitions count."""
        limit = np.finfo(np.float32).max
        return SortedScores(
            np.clip(self.target, -limit, limit).astype(np.float32),
            np.clip(self.nontarget, -limit, limit).astype(np.float32),
        )

    @cached_property
    def losses(self) -> tuple[np.ndarray, np.ndarray]:
        """Cost in bits of every score taken as a natural log-likelihood ratio."""
        target, nontarget = np.negative(self.target), self.nontarget
        return np.logaddexp(0.0, target) / np.log(2), np.logaddexp(0.0, nontarget) / np.log(2)

    def ranking(
        self, target_weight: np.ndarray | None = None, nontarget_weight: np.ndarray | None = None
    ) -> "Ranking":
        """Return the ranking of the list in which trial i occurs `weight[i]` times.

        Parameters
        ----------
        target_weight, nontarget_weight
            Whole numbers ≥ 0 in the order of the sorted scores; one each when left out.
        """
        if target_weight is None:
            target_weight = np.ones(self.target.size, dtype=np.int64)
        if nontarget_weight is None:
            nontarget_cumulative = np.arange(self.nontarget.size + 1)
        else:
            nontarget_cumulative = _cumulative(nontarget_weight)
        return Ranking(self, target_weight, _cumulative(target_weight), nontarget_cumulative)


@dataclass(frozen=True)
class Ranking:
    """A (re)weighted trial list in sorted order: what every score metric is computed from.

    Attributes
    ----------
    scores
        The sorted scores of the list that is weighted.
    weight
        How often each target occurs, in sorted order.
    target_cumulative, nontarget_cumulative
        Number of trials among the first i sorted ones of a class, for i = 0 … size.
    """

    scores: SortedScores
    weight: np.ndarray
    target_cumulative: np.ndarray
    nontarget_cumulative: np.ndarray

    @property
    def n_target(self) -> int:
        """Number of target trials T."""
        return int(self.target_cumulative[-1])

    @property
    def n_nontarget(self) -> int:
        """Number of non-target trials N."""
        return int(self.nontarget_cumulative[-1])

    @cached_property
    def below(self) -> np.ndarray:
        """Per target, number of non-target trials that score less."""
        return self.nontarget_cumulative[self.scores.below]

    @cached_property
    def upto(self) -> np.ndarray:
        """Per target, number of non-target trials that score no more."""
        return self.nontarget_cumulative[self.scores.upto]


def sort_scores(target: ArrayLike, nontarget: ArrayLike) -> SortedScores:
    """Check and sort two classes of scores.

    Parameters
    ----------
    target, nontarget
        Finite scores, one per trial; higher means more likely the same speaker.

    Examples
    --------
    >>> sort_scores([3, 1], [2]).target.tolist()
    [1.0, 3.0]
    """
    target = check_scores(target, "target")
    return SortedScores(np.sort(target), np.sort(check_scores(nontarget, "nontarget")))


def rank_scores(target: ArrayLike, nontarget: ArrayLike) -> Ranking:
    """Check and sort two classes of scores and count every trial once.

    Examples
    --------
    >>> ranking = rank_scores([3.0, 1.0], [2.0])
    >>> ranking.n_target, ranking.n_nontarget, ranking.below.tolist()
    (2, 1, [0, 1])
    """
    return sort_scores(target, nontarget).ranking()


def _cumulative(weight: np.ndarray) -> np.ndarray:
    total = np.zeros(weight.size + 1, dtype=np.int64)
    np.cumsum(weight, out=total[1:])
    return total
