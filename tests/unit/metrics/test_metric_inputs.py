"""What score metrics refuse, and what importing them does not load."""

import subprocess
import sys

import numpy as np
import pytest

from scripts.lib import metrics

SCORE_METRICS = (
    metrics.eer,
    metrics.eer_interpolated,
    metrics.rocch_eer,
    metrics.cllr,
    metrics.cllr_min,
    metrics.zebra,
    metrics.ece_profile,
    metrics.linkability,
    metrics.local_linkability,
    metrics.min_dcf,
    metrics.tpr_at_fpr,
    metrics.pav_llr,
    metrics.score_metrics,
)


@pytest.mark.parametrize("metric", SCORE_METRICS, ids=lambda metric: metric.__name__)
def test_bad_scores_are_counted_and_named(metric):
    good, bad = np.array([1.0, 2.0]), np.array([1.0, np.nan, np.inf, np.nan])
    with pytest.raises(ValueError, match=r"3 of 4 target .* \(2 NaN, 1 infinite; first at .* 1\)"):
        metric(bad, good)
    with pytest.raises(ValueError, match="3 of 4 nontarget scores are not finite"):
        metric(good, bad)
    with pytest.raises(ValueError, match="no target scores"):
        metric([], good)
    with pytest.raises(ValueError, match="no nontarget scores"):
        metric(good, [])
    with pytest.raises(ValueError, match=r"nontarget scores must be a 1-D array.*\(1, 2\)"):
        metric(good, good[None])
    with pytest.raises(ValueError, match=r"target scores must be a 1-D array.*\(\)"):
        metric(1.0, good)
    with pytest.raises(ValueError, match="target scores must be real numbers, not <U3"):
        metric(["1.0", "2.0"], good)
    with pytest.raises(ValueError, match="must be real numbers"):
        metric(good * 1j, good)


@pytest.mark.parametrize("metric", SCORE_METRICS, ids=lambda metric: metric.__name__)
def test_inputs_are_left_as_they_are(metric):
    target, nontarget = np.array([3.0, 1.0, 2.0]), np.array([2.5, 0.5])
    metric(target, nontarget)
    assert (target.tolist(), nontarget.tolist()) == ([3.0, 1.0, 2.0], [2.5, 0.5])


def test_lists_integers_and_single_precision_are_accepted():
    expected = metrics.score_metrics(np.array([1.0, 3.0]), np.array([0.0, 2.0]))
    assert metrics.score_metrics([1, 3], [0, 2]) == expected
    assert metrics.score_metrics(np.float32([1, 3]), np.int8([0, 2])) == expected


def test_importing_metrics_loads_neither_torch_nor_pandas():
    code = (
        "import sys, scripts.lib.metrics; "
        "print([m for m in ('torch', 'pandas', 'sklearn', 'matplotlib') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
