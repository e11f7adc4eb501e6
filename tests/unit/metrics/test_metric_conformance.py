"""The conformance vectors of the protocol (vpc2020 section 7.12), to 1e-6 in every column."""

import numpy as np
import pytest

from scripts.lib import metrics


def ramp(size):
    return np.arange(size, dtype=np.float64)


VECTORS = {
    "A": (2 * np.sin(1.7 * ramp(200)) + 1, 2 * np.sin(0.9 * ramp(1000) + 0.3) - 0.5),
    "B": (np.floor(5 * np.sin(1.3 * ramp(120)) + 6), np.floor(5 * np.sin(0.7 * ramp(900)) + 5)),
    "C": (0.3 * np.sin(1.1 * ramp(150)) + 10, 0.3 * np.sin(0.5 * ramp(600)) - 10),
    "D": (np.sin(1.1 * ramp(150)) - 0.4, np.sin(0.5 * ramp(600)) + 0.4),
}
COLUMNS = ("eer", "rocch_eer", "cllr", "cllr_min", "d_ece", "worst_case", "linkability")
EXPECTED = {
    "A": (0.385000, 0.290499, 0.857954, 0.580999, 0.302245, 2.628389, 0.419668),
    "B": (0.475000, 0.351436, 3.441148, 0.702923, 0.150080, 2.454845, 0.217332),
    "C": (0.0, 0.0, 0.000067, 0.000000, 0.721348, 2.781037, 0.500000),
    "D": (0.633333, 0.500000, 1.401953, 1.000000, 0.000000, 0.002163, 0.431574),
}
TAGS = {"A": "C", "B": "C", "C": "C", "D": "A"}


@pytest.mark.parametrize("vector", VECTORS)
def test_score_metrics_reproduces_the_vector(vector):
    result = metrics.score_metrics(*VECTORS[vector])
    assert [result[column] for column in COLUMNS] == pytest.approx(EXPECTED[vector], abs=1e-6)
    assert result["tag"] == TAGS[vector]


@pytest.mark.parametrize("vector", VECTORS)
def test_each_metric_alone_agrees_with_all_at_once(vector):
    target, nontarget = VECTORS[vector]
    together = metrics.score_metrics(target, nontarget)
    shuffled = np.random.default_rng(0).permutation(target), nontarget[::-1]
    alone = {
        **{
            name: getattr(metrics, name)(*shuffled)
            for name in ("eer", "eer_interpolated", "rocch_eer", "cllr", "cllr_min", "linkability")
        },
        **metrics.zebra(*shuffled)._asdict(),
        "min_dcf_001": metrics.min_dcf(*shuffled, 0.01),
        "min_dcf_0001": metrics.min_dcf(*shuffled, 0.001),
        "tpr_at_fpr_1": metrics.tpr_at_fpr(*shuffled, 0.01),
        "tpr_at_fpr_01": metrics.tpr_at_fpr(*shuffled, 0.001),
    }
    assert alone == pytest.approx(together, abs=1e-12)


def test_tie_order_matters_as_much_as_the_protocol_says():
    """Vector B pools tied scores in one order only: C_llr^min 0.7029 against 0.7919."""
    target, nontarget = VECTORS["B"]
    for ties, expected in (("nontarget_first", 0.7029), ("target_first", 0.7919)):
        calibrated = metrics.pav_llr(target, nontarget, ties=ties)
        assert metrics.cllr(*(np.clip(llr, -700, 700) for llr in calibrated)) == pytest.approx(
            expected, abs=5e-5
        )
