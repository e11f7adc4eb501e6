"""The floor of Singling Out against closed forms, simulation and the specification."""

import numpy as np
import pytest

from scripts.lib.legal.chance import singling_out_floor


def limit_of_uniform_scores(n: int) -> float:
    """E[λe^−λ] for N → ∞, λ = (G + E/2)/n with G ~ Gamma(n) and E ~ Exp(1)."""
    s = 1 / n
    return (1 + s) ** -n / (1 + s / 2) * (n / (1 + s) + 0.5 / (1 + s / 2)) / n


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 50])
def test_limit_for_many_speakers(n):
    floor = singling_out_floor(n, 10**7, "uniform")
    assert floor == pytest.approx(limit_of_uniform_scores(n), abs=1e-6)


@pytest.mark.parametrize("scores", ["normal", "uniform"])
@pytest.mark.parametrize(("n", "n_speakers"), [(1, 20), (2, 100), (3, 7), (9, 30), (9, 100)])
def test_equals_simulation(n, n_speakers, scores):
    rng = np.random.default_rng(n * n_speakers)
    draw = rng.standard_normal if scores == "normal" else rng.random
    sets = 40_000
    isolated = 0
    for _ in range(20):
        calibration = draw((sets // 20, n * n_speakers))
        top = -np.partition(-calibration, [n - 1, n], axis=1)[:, n - 1 : n + 1]
        fires = draw((sets // 20, n_speakers)) > top.mean(axis=1)[:, None]
        isolated += np.count_nonzero(fires.sum(axis=1) == 1)
    floor = singling_out_floor(n, n_speakers, scores)
    error = np.sqrt(floor * (1 - floor) / sets)
    assert isolated / sets == pytest.approx(floor, abs=4 * error)


@pytest.mark.parametrize("n_speakers", [400, 22_024])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_between_the_lower_bound_and_a_fixed_predicate(n, n_speakers):
    floor = singling_out_floor(n, n_speakers)
    assert (n / (n + 1)) ** (n + 1) < floor < np.exp(-1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 30), "calibration conversation, not 0"),
        ((9, 1), "not 1"),
        ((9, 30, "cosine"), "scores is 'cosine'"),
    ],
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=message):
        singling_out_floor(*arguments)
