"""Detection cost and true positive rate against a search over all thresholds."""

import numpy as np
import pytest

from scripts.lib.metrics import min_dcf, tpr_at_fpr


def operating_points(target, nontarget):
    """(P_miss, P_fa) of every rule `accept above θ`, from accepting all to accepting none."""
    for threshold in [-np.inf, *np.unique(np.concatenate([target, nontarget]))]:
        yield (target <= threshold).mean(), (nontarget > threshold).mean()


def lists(count=40):
    rng = np.random.default_rng(5)
    for index in range(count):
        target = rng.normal(rng.choice([-1.0, 1.0, 3.0]), 1, rng.integers(1, 30))
        nontarget = rng.normal(0, 1, rng.integers(1, 200))
        if index % 2:
            target, nontarget = np.round(2 * target), np.round(2 * nontarget)
        yield target, nontarget


@pytest.mark.parametrize("prior", [0.001, 0.01, 0.5, 0.9])
def test_min_dcf_is_the_cheapest_operating_point(prior):
    for target, nontarget in lists():
        cost = min(
            prior * miss + (1 - prior) * accept
            for miss, accept in operating_points(target, nontarget)
        )
        expected = cost / min(prior, 1 - prior)
        assert min_dcf(target, nontarget, prior) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("fpr", [0.0, 0.001, 0.01, 0.1, 1.0])
def test_tpr_is_the_best_within_the_allowance(fpr):
    for target, nontarget in lists():
        expected = max(
            1 - miss
            for miss, accept in operating_points(target, nontarget)
            if accept <= fpr * (1 + 1e-12)
        )
        assert tpr_at_fpr(target, nontarget, fpr) == pytest.approx(expected, abs=1e-12)


def test_a_rounding_error_loses_no_false_positive():
    """0.29 · 100 is 28.999… in binary, but 29 false positives of 100 are allowed."""
    nontarget = np.arange(100.0)
    assert tpr_at_fpr([70.5], nontarget, 0.29) == 1.0
    assert tpr_at_fpr([69.5], nontarget, 0.29) == 0.0


def test_a_tie_with_a_nontarget_is_accepted_along_with_it():
    assert tpr_at_fpr([1.0], [1.0, 0.0], 0.01) == 0.0
    assert tpr_at_fpr([1.0], [1.0, 0.0], 0.5) == 1.0


def test_limits_are_checked():
    with pytest.raises(ValueError, match="between 0 and 1, not at 1"):
        min_dcf([1.0], [0.0], 1.0)
    with pytest.raises(ValueError, match="not at 5"):
        tpr_at_fpr([1.0], [0.0], 5)
