"""Properties that hold for every list of scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import entr

from scripts.lib.metrics import (
    NUMERIC_METRICS,
    cllr_min,
    eer,
    eer_interpolated,
    rocch_eer,
    score_metrics,
    zebra,
)
from scripts.lib.metrics.score_metrics import METRIC_RANGES

# the ramp of 1e-6 moves calibrated metrics by less than this
RAMP_EFFECT = 1e-6


@st.composite
def distinct_lists(draw):
    """Targets and non-targets as distinct whole numbers, so that no map creates ties."""
    values = draw(st.lists(st.integers(-500, 500), min_size=2, max_size=60, unique=True))
    split = draw(st.integers(1, len(values) - 1))
    return np.array(values[:split], dtype=float), np.array(values[split:], dtype=float)


@st.composite
def any_lists(draw):
    """Targets and non-targets from few values, with ties within and between classes."""
    scores = st.lists(st.integers(-6, 6), min_size=1, max_size=40)
    return np.array(draw(scores), dtype=float), np.array(draw(scores), dtype=float)


INCREASING = [
    lambda s: 3 * s - 7,
    lambda s: s / 1000,
    np.cbrt,
    lambda s: np.arctan(s / 100),
    lambda s: np.exp(s / 50),
]


@settings(max_examples=60, deadline=None)
@given(distinct_lists(), st.sampled_from(INCREASING))
def test_rank_metrics_ignore_increasing_maps(scores, increasing):
    target, nontarget = scores
    mapped = increasing(target), increasing(nontarget)
    for metric in (eer, eer_interpolated, rocch_eer, cllr_min, zebra):
        assert metric(*mapped) == metric(target, nontarget)


@settings(max_examples=60, deadline=None)
@given(any_lists())
def test_bounds(scores):
    target, nontarget = scores
    result = score_metrics(target, nontarget)
    for name in NUMERIC_METRICS:
        low, high = METRIC_RANGES[name]
        assert low <= result[name] <= high + RAMP_EFFECT, name
    assert result["d_ece"] <= 1 / (2 * np.log(2)) + 1e-12
    e = result["rocch_eer"]
    entropy = float(entr(e) + entr(1 - e)) / np.log(2)
    assert 2 * e - RAMP_EFFECT <= result["cllr_min"] <= entropy + RAMP_EFFECT
    assert result["eer"] * target.size == pytest.approx(round(result["eer"] * target.size))
    assert result["tpr_at_fpr_01"] <= result["tpr_at_fpr_1"]


@settings(max_examples=40, deadline=None)
@given(any_lists())
def test_swapping_classes_and_signs_keeps_symmetric_metrics(scores):
    """Rejecting non-targets is accepting targets seen from the other side."""
    target, nontarget = scores
    mirrored = -nontarget, -target
    assert rocch_eer(*mirrored) == pytest.approx(rocch_eer(target, nontarget), abs=1e-12)
    assert cllr_min(*mirrored) == pytest.approx(cllr_min(target, nontarget), abs=RAMP_EFFECT)
    assert zebra(*mirrored).d_ece == pytest.approx(zebra(target, nontarget).d_ece, abs=RAMP_EFFECT)


@pytest.mark.parametrize("sizes", [(1, 1), (1, 2), (2, 1), (2, 2), (40, 25)])
def test_separable_scores(sizes):
    target, nontarget = 10.0 + np.arange(sizes[0]), -10.0 - np.arange(sizes[1])
    result = score_metrics(target, nontarget)
    for name in ("eer", "eer_interpolated", "rocch_eer", "cllr_min", "min_dcf_001"):
        assert result[name] == 0.0
    assert result["d_ece"] == pytest.approx(1 / (2 * np.log(2)), abs=1e-12)
    assert result["tpr_at_fpr_01"] == 1.0
    # one block per class and Laplace's extra trials: odds T+1 and N+1 over the prior odds
    worst_case = np.log10(
        [(sizes[0] + 1) * sizes[1] / sizes[0], (sizes[1] + 1) * sizes[0] / sizes[1]]
    )
    assert result["worst_case"] == pytest.approx(worst_case.max(), abs=1e-6)


@pytest.mark.parametrize("size", [1, 2, 50])
def test_identical_scores_disclose_nothing(size):
    """All scores equal: pooled where ties are, told apart where the protocol's order does so."""
    result = score_metrics(np.ones(size), np.ones(size))
    assert result["d_ece"] == 0.0
    assert result["linkability"] == 0.0
    assert result["min_dcf_001"] == 1.0
    assert result["tpr_at_fpr_1"] == 0.0
    assert result["eer"] == (size - 1) / size
    assert result["eer_interpolated"] == 0.5
    # [non-target, target] order separates ties perfectly, the known optimism of section 7.2
    assert result["rocch_eer"] == 0.0


def test_same_distribution_of_distinct_scores():
    """Alternating classes carry next to no evidence."""
    values = np.arange(4000.0)
    result = score_metrics(values[::2], values[1::2])
    assert result["eer"] == pytest.approx(0.5, abs=1e-3)
    assert result["rocch_eer"] == pytest.approx(0.5, abs=1e-3)
    assert result["cllr_min"] == pytest.approx(1.0, abs=1e-3)
    assert result["d_ece"] == pytest.approx(0.0, abs=1e-3)
    assert result["linkability"] == pytest.approx(0.0, abs=0.03)


def test_two_of_each_by_hand():
    """Order n t n t: one error of each kind at best, halves pooled in the middle."""
    result = score_metrics([1.0, 3.0], [0.0, 2.0])
    assert result["eer"] == 0.5
    assert result["eer_interpolated"] == 0.5
    assert result["rocch_eer"] == 0.25
    assert result["cllr_min"] == pytest.approx(0.5, abs=1e-6)
    assert result["worst_case"] == pytest.approx(np.log10(2), abs=1e-6)
    assert result["min_dcf_001"] == 0.5
    assert result["tpr_at_fpr_1"] == 0.5
    natural = np.log2(1 + np.exp(-np.array([1.0, 3.0]))).mean()
    other = np.log2(1 + np.exp(np.array([0.0, 2.0]))).mean()
    assert result["cllr"] == pytest.approx((natural + other) / 2, abs=1e-12)


def test_extreme_scores_stay_finite():
    result = score_metrics([1e300, 1e-300, 5.0], [-1e300, 4e38, 2.0])
    assert all(np.isfinite(result[name]) for name in NUMERIC_METRICS)
