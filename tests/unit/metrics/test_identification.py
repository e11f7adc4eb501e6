"""Rank-k identification by hand."""

import numpy as np
import pytest

from scripts.lib.metrics import rank_k_accuracy, rank_k_accuracy_of_trials

SCORES = np.array([[0.9, 0.5, 0.1], [0.8, 0.7, 0.6], [0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
TRUE = np.array([0, 1, 2, 2])  # ranks 1, 2, 3, 1


@pytest.mark.parametrize(("k", "accuracy"), [(1, 0.5), (2, 0.75), (3, 1.0)])
def test_accuracy_counts_ranks(k, accuracy):
    assert rank_k_accuracy(SCORES, TRUE, k) == accuracy


@pytest.mark.parametrize("k", [1, 2, 3])
def test_trials_and_matrix_agree_whatever_the_order(k):
    test, enrol = (axis.ravel() for axis in np.indices(SCORES.shape))
    order = np.random.default_rng(0).permutation(test.size)
    names = np.array(["ann", "bob", "eve"])
    trials = (names[enrol], test, SCORES.ravel(), TRUE[test] == enrol)
    assert rank_k_accuracy_of_trials(*(column[order] for column in trials), k) == rank_k_accuracy(
        SCORES, TRUE, k
    )


def test_ties_are_broken_at_random_on_average():
    assert rank_k_accuracy(np.zeros((5, 4)), np.arange(4).repeat(2)[:5], 1) == 0.25
    assert rank_k_accuracy(np.zeros((5, 4)), np.zeros(5, dtype=int), 3) == 0.75
    assert rank_k_accuracy([[2.0, 1.0, 1.0]], [1], 2) == 0.5


def test_speakers_who_are_not_enrolled_do_not_count():
    enrol, test = ["a", "b", "a", "b"], ["u", "u", "v", "v"]
    assert rank_k_accuracy_of_trials(enrol, test, [0.2, 0.1, 0.9, 0.8], [1, 0, 0, 0]) == 1.0


def test_errors_count_and_name():
    with pytest.raises(
        ValueError, match=r"1 test utterances have several target trials \(first: u"
    ):
        rank_k_accuracy_of_trials(["a", "b"], ["u", "u"], [0.1, 0.2], [1, 1])
    with pytest.raises(ValueError, match="none of 1 test utterances has a target"):
        rank_k_accuracy_of_trials(["a", "b"], ["u", "u"], [0.1, 0.2], [0, 0])
    with pytest.raises(ValueError, match="1 of 2 labels is neither 1 nor 0"):
        rank_k_accuracy_of_trials(["a", "b"], ["u", "u"], [0.1, 0.2], [1, np.nan])
    with pytest.raises(ValueError, match="differ in shape"):
        rank_k_accuracy_of_trials(["a"], ["u", "u"], [0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match=r"2 of 4 .* \(first: 7 at position 1\)"):
        rank_k_accuracy(SCORES, [0, 7, -1, 2])
    with pytest.raises(ValueError, match="one column index for each of 4 rows"):
        rank_k_accuracy(SCORES, [0.0, 1.0, 2.0, 2.0])
    with pytest.raises(ValueError, match="matrix of tests by speakers"):
        rank_k_accuracy([1.0], [0])
    with pytest.raises(ValueError, match="at least 1, not 0"):
        rank_k_accuracy(SCORES, TRUE, 0)
    with pytest.raises(ValueError, match="1 of 2 identification scores is not finite"):
        rank_k_accuracy([[np.nan, 0.0]], [0])
