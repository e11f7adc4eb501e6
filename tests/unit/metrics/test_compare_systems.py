"""Paired comparison of systems and Holm's adjustment."""

import numpy as np
import pytest

from scripts.lib.metrics import compare_systems, holm, score_metrics


def make_systems(seed, gaps, *, noise=0.3):
    """Systems scored on the same 12 × 12 speakers; most of the deviation is shared by all."""
    rng = np.random.default_rng(seed)
    enrol = np.repeat(np.arange(12), 12 * 5)
    trial = np.tile(np.repeat(np.arange(12), 5), 12)
    same = enrol == trial
    shared = rng.normal(size=enrol.size) + same * rng.normal(size=12)[trial]
    scores = {
        name: shared + gap * same + noise * rng.normal(size=enrol.size)
        for name, gap in gaps.items()
    }
    return scores, same, enrol, trial


def test_a_system_does_not_differ_from_itself():
    scores, *labels = make_systems(1, {"a": 1.0})
    rows = compare_systems({"a": scores["a"], "b": scores["a"]}, *labels, seed=0, replicates=20)
    for row in rows:
        assert (row.difference, row.low, row.high, row.p_value) == (0.0, 0.0, 0.0, 1.0)


def test_difference_is_that_of_the_metrics_and_pairing_finds_it():
    scores, same, enrol, trial = make_systems(2, {"a": 1.0, "b": 2.0})
    [row] = compare_systems(scores, same, enrol, trial, seed=0, metrics=["eer"], replicates=100)
    values = {name: score_metrics(s[same], s[~same])["eer"] for name, s in scores.items()}
    assert (row.first, row.second, row.metric) == ("a", "b", "eer")
    assert row.difference == pytest.approx(values["b"] - values["a"])
    assert row.low <= row.difference <= row.high < 0
    assert row.p_value == row.p_holm < 0.01
    [swapped] = compare_systems(
        scores, same, enrol, trial, seed=0, pairs=[("b", "a")], metrics=["eer"], replicates=100
    )
    assert swapped.difference == -row.difference
    assert swapped.p_value == pytest.approx(row.p_value)


def test_false_alarms_are_rare_when_systems_are_equally_good():
    """30 null comparisons at 5 %: more than 5 rejections would happen once in 300 times."""
    p_values = []
    for seed in range(30):
        scores, *labels = make_systems(seed, {"a": 1.0, "b": 1.0}, noise=1.0)
        [row] = compare_systems(scores, *labels, seed=seed, metrics=["eer"], replicates=50)
        p_values.append(row.p_value)
    assert (np.array(p_values) < 0.05).sum() <= 5


def test_holm_adjusts_over_the_pairs_of_one_metric():
    scores, *labels = make_systems(4, {"a": 1.0, "b": 1.3, "c": 2.0})
    metrics = ["eer", "cllr_min"]
    rows = compare_systems(scores, *labels, seed=0, metrics=metrics, replicates=50)
    assert [(row.first, row.second) for row in rows[:3]] == [("a", "b"), ("a", "c"), ("b", "c")]
    for metric in metrics:
        family = [row for row in rows if row.metric == metric]
        expected = holm([row.p_value for row in family])
        assert [row.p_holm for row in family] == expected.tolist()


def test_holm_by_hand():
    """Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1, and never falling."""
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    assert holm([0.02]).tolist() == [0.02]
    assert holm([]).tolist() == []
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([0.5, np.nan])


def test_errors_name_what_is_unknown():
    scores, *labels = make_systems(5, {"a": 1.0, "b": 1.0})
    with pytest.raises(ValueError, match=r"no scores of \['c'\]"):
        compare_systems(scores, *labels, seed=0, pairs=[("a", "c")])
    with pytest.raises(ValueError, match="no two systems"):
        compare_systems({"a": scores["a"]}, *labels, seed=0)
    with pytest.raises(ValueError, match=r"unknown metrics \['wer'\]"):
        compare_systems(scores, *labels, seed=0, metrics=["wer"])
