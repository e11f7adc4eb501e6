"""Linkability against audmetric and by hand."""

import audmetric
import numpy as np
import pytest

from scripts.lib.metrics import linkability, local_linkability
from scripts.lib.metrics.linkability import linkability_of
from scripts.lib.metrics.ranking import sort_scores


def oracle(target, nontarget):
    truth = np.repeat([1, 0], [len(target), len(nontarget)])
    return audmetric.linkability(truth, np.concatenate([target, nontarget]))


@pytest.mark.parametrize(("mean", "size"), [(0, 20), (0, 345), (1, 700), (2, 5000), (-1, 300)])
def test_equals_audmetric(mean, size):
    rng = np.random.default_rng(size)
    target, nontarget = rng.normal(mean, 1, size), rng.normal(0, 1, 3 * size)
    assert linkability(target, nontarget) == pytest.approx(oracle(target, nontarget), abs=1e-9)
    target, nontarget = target.round(1), nontarget.round(1)
    assert linkability(target, nontarget) == pytest.approx(oracle(target, nontarget), abs=1e-9)


def test_weights_stand_for_repeated_trials_and_absent_ones_do_not_widen_the_range():
    rng = np.random.default_rng(1)
    scores = sort_scores(rng.normal(1, 1, 200), rng.normal(0, 1, 500))
    weights = rng.integers(0, 3, 200), rng.integers(0, 3, 500)
    weights[0][-5:] = weights[1][:5] = 0
    repeated = np.repeat(scores.target, weights[0]), np.repeat(scores.nontarget, weights[1])
    assert linkability_of(scores.ranking(*weights)) == pytest.approx(oracle(*repeated), abs=1e-12)


@pytest.mark.parametrize(("size", "bins"), [(704, 70), (644, 64), (344, 34), (1781, 100), (19, 1)])
def test_number_of_bins_follows_the_number_of_targets(size, bins):
    local = local_linkability(np.linspace(0, 1, size), np.linspace(-1, 1, 50))
    assert all(values.shape == (bins,) for values in local)


def test_local_measure_by_hand():
    """Two bins, each with half of the non-targets."""
    target = np.repeat([0.0, 0.25, 0.75, 1.0], 5)
    nontarget = np.array([0.0, 0.1, 0.9, 1.0])
    local = local_linkability(target, nontarget)
    assert local.score.tolist() == [0.25, 0.75]
    assert local.target_density.tolist() == [1.0, 1.0]
    assert local.linkability.tolist() == [0.0, 0.0]
    local = local_linkability(np.repeat([0.25, 0.75], [5, 15]), nontarget)
    assert local.target_density.tolist() == [0.5, 1.5]
    assert local.linkability.tolist() == [0.0, pytest.approx(0.2)]  # LR 1.5


def test_a_bin_without_nontargets_is_fully_linkable():
    local = local_linkability(np.linspace(2, 3, 40), np.linspace(0, 1, 40))
    assert local.linkability.tolist() == [0.0, 0.0, 1.0, 1.0]
    assert (0.75 * local.target_density).tolist() == pytest.approx([0.0, 0.0, 0.25, 0.75])
    # trapezoids 0.25/2 and (0.25 + 0.75)/2: the outer half of the last bin is left out
    assert linkability(np.linspace(2, 3, 40), np.linspace(0, 1, 40)) == pytest.approx(0.625)


def test_identical_classes_and_a_single_value_give_zero():
    scores = np.random.default_rng(2).normal(size=400)
    assert linkability(scores, scores) == 0.0
    assert linkability(np.ones(50), np.ones(50)) == 0.0
    assert linkability([1.0], [0.0]) == 0.0
