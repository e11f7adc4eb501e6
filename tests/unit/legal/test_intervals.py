"""Speaker bootstrap of the legal metrics against direct computation and theory."""

import numpy as np
import pytest
from legal_eval import sweeps
from legal_eval.io import ScoreMatrix
from legal_eval.metrics import count_beaters, linkability, rocch_eer
from legal_eval.sweeps import SweepResult

from scripts.lib.legal.eer_sweep import eer_sweep
from scripts.lib.legal.intervals import (
    linkability_interval,
    one_minus_eer_interval,
    resample_speakers,
    singling_out_interval,
)
from scripts.lib.metrics.bootstrap import widened_tail


def matrix_of(n_enroll: int, n_test: int, seed: int = 0) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    own = rng.integers(n_enroll, size=n_test)
    scores = rng.normal(size=(n_enroll, n_test))
    scores[own, np.arange(n_test)] += 2.0
    names = [f"s{i}" for i in range(n_enroll)]
    return ScoreMatrix(scores, names, [names[i] for i in own], {})


def test_interval_of_many_speakers_is_the_normal_one():
    values = np.random.default_rng(0).random((4, 400))
    result = SweepResult("singling_out", 1, {30: values.ravel().tolist()}, {"n_folds": 4})
    estimate, low, high = singling_out_interval(result, 30, seed=1, replicates=2000)
    assert estimate == pytest.approx(values.mean())
    half = 1.96 * values.mean(axis=0).std() / np.sqrt(400)
    assert (high - low) / 2 == pytest.approx(half, rel=0.06)


def test_repeating_a_fold_adds_no_information():
    values = np.random.default_rng(0).random(40).tolist()
    once = SweepResult("singling_out", 1, {30: values}, {"n_folds": 1})
    often = SweepResult("singling_out", 1, {30: values * 5}, {"n_folds": 5})
    assert singling_out_interval(often, 30, seed=1) == pytest.approx(
        singling_out_interval(once, 30, seed=1), abs=1e-12
    )


def test_intervals_hold_the_truth_as_often_as_they_say():
    # outcomes of 40 speakers with rates of their own, mean 0.4: of 300 intervals at 90 %, the
    # number that hold it is 270 ± 5.2; four standard deviations are allowed
    rng = np.random.default_rng(2)
    held = 0
    for seed in range(300):
        values = rng.binomial(20, rng.beta(2, 3, size=40)) / 20
        result = SweepResult("singling_out", 1, {30: values.tolist()}, {"n_folds": 1})
        _, low, high = singling_out_interval(result, 30, seed=seed, replicates=200, level=0.9)
        held += low <= 0.4 <= high
    assert 249 <= held <= 291


@pytest.mark.parametrize("count", [1, 2, 7, 30])
def test_linkability_estimate_is_the_package_s_exact_one(count):
    matrix = matrix_of(30, 50)
    found = linkability_interval(count_beaters(matrix), matrix.test_speakers, 30, count, seed=0)
    exact = linkability(matrix, count, estimator="exact")[0]
    assert found.estimate == pytest.approx(exact, abs=1e-12)
    assert found.low <= found.estimate <= found.high


def test_linkability_draws_speakers_not_items():
    beaters, names = np.arange(20) % 7, [f"s{i:02d}" for i in range(20)]
    once = linkability_interval(beaters, names, 30, 5, seed=0)
    thrice = linkability_interval(np.repeat(beaters, 3), np.repeat(names, 3), 30, 5, seed=0)
    assert thrice == pytest.approx(once, abs=1e-12)


def test_eer_replicates_are_lists_with_repeated_speakers():
    matrix = matrix_of(40, 60)
    found = one_minus_eer_interval(matrix, 40, seed=5, replicates=50)
    assert found.estimate == pytest.approx(
        1 - eer_sweep(matrix, [40], n_runs=1).values[40][0], abs=1e-12
    )
    names, code = np.unique(matrix.test_speakers, return_inverse=True)
    own = [matrix.enroll_index[name] for name in matrix.test_speakers]
    values = []
    for times in resample_speakers(names.size, seed=5, replicates=50):
        columns = np.repeat(np.arange(60), times[code])
        target = np.array([matrix.scores[own[c], c] for c in columns])
        other = np.concatenate([np.delete(matrix.scores[:, c], own[c]) for c in columns])
        values.append(1 - rocch_eer(target, other))
    tail = widened_tail(names.size, 0.95)
    shift = 2 * (np.mean(values) - found.estimate)
    low, high = np.quantile(values, [tail, 1 - tail]) - shift
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_eer_estimate_is_the_package_s_first_run():
    matrix = matrix_of(300, 280)
    theirs = sweeps.eer_sweep(matrix, [50], n_runs=1, seed=3).values[50][0]
    found = one_minus_eer_interval(matrix, 50, seed=0, draw_seed=3, replicates=20)
    assert found.estimate == pytest.approx(1 - theirs, abs=1e-12)


def test_replicates_do_not_depend_on_their_number():
    few, many = (resample_speakers(9, seed=4, replicates=b) for b in (3, 8))
    assert np.array_equal(few, many[:3])


def test_errors():
    matrix = matrix_of(30, 50)
    with pytest.raises(ValueError, match="population of 31 speakers"):
        linkability_interval(count_beaters(matrix), matrix.test_speakers, 30, 31, seed=0)
    with pytest.raises(ValueError, match="population of 31 speakers"):
        one_minus_eer_interval(matrix, 31, seed=0)
    with pytest.raises(ValueError, match="1 speaker"):
        resample_speakers(1, seed=0, replicates=10)
