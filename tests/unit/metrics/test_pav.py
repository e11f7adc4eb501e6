"""PAV calibration against a plain list-based algorithm and scikit-learn."""

import itertools

import numpy as np
import pytest
from legal_eval.metrics import rocch_eer as legal_rocch_eer
from sklearn.isotonic import IsotonicRegression

from scripts.lib.metrics import cllr, cllr_min, pav_llr, rocch_eer, zebra
from scripts.lib.metrics.cllr import cllr_min_of
from scripts.lib.metrics.pav import pav_blocks
from scripts.lib.metrics.ranking import rank_scores, sort_scores
from scripts.lib.metrics.rocch_eer import rocch_eer_of


def plain_pav(labels):
    """Pool adjacent bins while the left mean is at least the right one."""
    bins = []
    for label in labels:
        bins.append([label, 1])
        while len(bins) > 1 and bins[-2][0] * bins[-1][1] >= bins[-1][0] * bins[-2][1]:
            total, size = bins.pop()
            bins[-1][0] += total
            bins[-1][1] += size
    return np.concatenate([np.full(size, total / size) for total, size in bins])


def plain_llr(target, nontarget, ties, laplace):
    """Section 7.2 step by step over all trials."""
    classes = [(np.asarray(target), 1), (np.asarray(nontarget), 0)]
    if ties == "nontarget_first":
        classes.reverse()
    scores = np.concatenate([scores for scores, _ in classes])
    labels = np.concatenate([np.full(len(scores), label) for scores, label in classes])
    order = np.argsort(scores, kind="stable")
    ordered = labels[order].tolist()
    p = plain_pav([1, 0, *ordered, 1, 0])[2:-2] if laplace else plain_pav(ordered)
    with np.errstate(divide="ignore"):
        llr = np.log(p) - np.log(1 - p) - np.log(len(target) / len(nontarget))
    llr += np.arange(scores.size) * 1e-6 / scores.size
    unsorted = np.empty_like(llr)
    unsorted[order] = llr
    return unsorted[labels == 1], unsorted[labels == 0]


def lists(seed, count=40):
    rng = np.random.default_rng(seed)
    for index in range(count):
        target = rng.normal(rng.choice([-1.0, 0.0, 1.0, 4.0]), 1, rng.integers(1, 40))
        nontarget = rng.normal(0, 1, rng.integers(1, 80))
        if index % 2:
            target, nontarget = np.round(2 * target), np.round(2 * nontarget)
        yield target, nontarget


OPTIONS = list(itertools.product(["nontarget_first", "target_first"], [False, True]))


@pytest.mark.parametrize(("ties", "laplace"), OPTIONS)
def test_llr_is_that_of_the_plain_algorithm(ties, laplace):
    for target, nontarget in lists(1):
        result = pav_llr(target, nontarget, ties=ties, laplace=laplace)
        for ours, plain in zip(result, plain_llr(target, nontarget, ties, laplace), strict=True):
            np.testing.assert_allclose(ours, plain, atol=1e-9)


def test_metrics_of_blocks_are_those_of_single_trials():
    """Blocks carry their trials' mean ramp; metrics of the single LLRs differ by under 1e-9."""
    for target, nontarget in lists(2):
        apart = plain_llr(target, nontarget, "nontarget_first", False)
        expected = cllr(*(np.clip(llr, -700, 700) for llr in apart))
        assert cllr_min(target, nontarget) == pytest.approx(expected, abs=1e-9)
        extremes = np.concatenate(plain_llr(target, nontarget, "nontarget_first", True))
        worst_case = np.abs(extremes).max() / np.log(10)
        assert zebra(target, nontarget).worst_case == pytest.approx(worst_case, abs=1e-9)


def test_weights_stand_for_repeated_trials():
    rng = np.random.default_rng(3)
    for target, nontarget in lists(3):
        scores = sort_scores(target, nontarget)
        weights = rng.integers(0, 4, target.size), rng.integers(0, 4, nontarget.size)
        if not all(weight.any() for weight in weights):
            continue
        repeated = np.repeat(scores.target, weights[0]), np.repeat(scores.nontarget, weights[1])
        for ties in ("nontarget_first", "target_first"):
            blocks = pav_blocks(scores.ranking(*weights), ties)
            direct = pav_blocks(rank_scores(*repeated), ties)
            assert cllr_min_of(blocks) == pytest.approx(cllr_min_of(direct), abs=1e-12)
            assert rocch_eer_of(blocks) == pytest.approx(rocch_eer_of(direct), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_probabilities_are_those_of_scikit_learn(seed):
    """Where tied scores are pooled; scikit-learn has no counterpart of the other tie order."""
    rng = np.random.default_rng(seed)
    target, nontarget = rng.normal(1, 1, 300).round(2), rng.normal(0, 1, 900).round(2)
    scores, labels = np.concatenate([target, nontarget]), np.repeat([1.0, 0.0], [300, 900])
    expected = IsotonicRegression(y_min=0, y_max=1).fit_transform(scores, labels)
    llr = np.concatenate(pav_llr(target, nontarget, ties="target_first"))
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(scores.size)
    ranks[order] = np.arange(scores.size)
    probability = 1 / (1 + np.exp(-(llr - ranks * 1e-6 / scores.size + np.log(300 / 900))))
    np.testing.assert_allclose(probability, expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_rocch_eer_is_that_of_legal_eval(seed):
    """They pool tied scores, as our order `target_first` does; the protocol does not."""
    rng = np.random.default_rng(seed)
    target, nontarget = rng.normal(seed / 2, 1, 200), rng.normal(0, 1, 500)
    expected = legal_rocch_eer(target, nontarget)
    assert rocch_eer(target, nontarget) == pytest.approx(expected, abs=1e-9)
    target, nontarget = target.round(1), nontarget.round(1)
    pooled = rocch_eer_of(pav_blocks(rank_scores(target, nontarget), "target_first"))
    assert pooled == pytest.approx(legal_rocch_eer(target, nontarget), abs=1e-9)
    assert rocch_eer(target, nontarget) < pooled


def test_unknown_tie_order_is_an_error():
    with pytest.raises(ValueError, match="ties is 'random'"):
        pav_llr([1.0], [0.0], ties="random")
