"""Closed-set identification: how often the true speaker is among the k best scores."""

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.ranking import check_labels, check_scores


def rank_k_accuracy(scores: ArrayLike, true_column: ArrayLike, k: int = 1) -> float:
    """Return the share of test utterances whose speaker ranks among the k best.

    Equal scores are ordered at random: the share is then the probability, so that an attacker
    who gives every speaker the same score gets k divided by the number of speakers.

    Parameters
    ----------
    scores
        One row per test utterance, one column per enrolled speaker.
    true_column
        Column of each row's own speaker.
    k
        How many guesses count.

    Examples
    --------
    >>> scores = [[0.9, 0.1, 0.3], [0.2, 0.5, 0.4]]
    >>> rank_k_accuracy(scores, [0, 2]), rank_k_accuracy(scores, [0, 2], k=2)
    (0.5, 1.0)
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2:
        raise ValueError(f"scores must be a matrix of tests by speakers, not {matrix.shape}")
    check_scores(matrix.ravel(), "identification")
    true_column = np.asarray(true_column)
    if true_column.shape != matrix.shape[:1] or true_column.dtype.kind not in "iu":
        raise ValueError(
            f"true_column needs one column index for each of {len(matrix)} rows, "
            f"not {true_column.dtype} of shape {true_column.shape}"
        )
    outside = (true_column < 0) | (true_column >= matrix.shape[1])
    if outside.any():
        raise ValueError(
            f"{int(outside.sum())} of {len(matrix)} entries of true_column name no column "
            f"(first: {true_column[outside.argmax()]} at position {int(outside.argmax())})"
        )
    own = np.take_along_axis(matrix, true_column[:, None], axis=1)
    return _accuracy((matrix > own).sum(axis=1), (matrix == own).sum(axis=1), k)


def rank_k_accuracy_of_trials(
    enrol: ArrayLike, test: ArrayLike, score: ArrayLike, is_target: ArrayLike, k: int = 1
) -> float:
    """Return the rank-k accuracy of a list of trials.

    Every test utterance is compared with the speakers it meets in the list. Utterances without a
    target trial come from speakers who are not enrolled; they are no part of a closed set and do
    not count.

    Parameters
    ----------
    enrol, test
        Enrolled speaker and test utterance of each trial.
    score
        Score of each trial.
    is_target
        Whether the trial's speakers are the same (1 or 0).
    k
        How many guesses count.

    Examples
    --------
    >>> rank_k_accuracy_of_trials(["a", "b", "a"], ["u", "u", "v"], [0.9, 0.1, 0.5], [1, 0, 0])
    1.0
    """
    score, truth = check_scores(score, "trial"), check_labels(is_target)
    enrol, test = np.asarray(enrol), np.asarray(test)
    if not enrol.shape == test.shape == score.shape == truth.shape:
        raise ValueError(
            f"enrol, test, score and is_target differ in shape: "
            f"{enrol.shape}, {test.shape}, {score.shape}, {truth.shape}"
        )
    names, row = np.unique(test, return_inverse=True)
    targets = np.bincount(row[truth], minlength=names.size)
    if (targets > 1).any():
        raise ValueError(
            f"{int((targets > 1).sum())} test utterances have several target trials "
            f"(first: {names[(targets > 1).argmax()]}); each has one true speaker"
        )
    if not targets.any():
        raise ValueError(f"none of {names.size} test utterances has a target trial")
    own = np.full(names.size, np.nan)
    own[row[truth]] = score[truth]
    better = np.bincount(row[score > own[row]], minlength=names.size)
    equal = np.bincount(row[score == own[row]], minlength=names.size)
    known = targets == 1
    return _accuracy(better[known], equal[known], k)


def _accuracy(better: np.ndarray, equal: np.ndarray, k: int) -> float:
    if k < 1:
        raise ValueError(f"k counts guesses and is at least 1, not {k}")
    return float(np.clip((k - better) / equal, 0.0, 1.0).mean())
