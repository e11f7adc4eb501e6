import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.lib.systems.lpc import burg
from scripts.lib.systems.poles import expand_pairs, find_pairs, warp_pairs
from tests.unit.systems.per_frame_reference import speech_like


def predictors(order, seconds=1.5):
    speech = speech_like(seconds).astype(float)
    frames = (
        np.lib.stride_tricks.sliding_window_view(speech, 320)[::160].T * np.hanning(320)[:, None]
    )
    return burg(frames + 2.0**-23, order)


def pair(radius, hertz):
    return np.array([-2 * radius * np.cos(2 * np.pi * hertz / 16000), radius**2]).reshape(2, 1, 1)


@pytest.mark.parametrize("order", [1, 2, 3, 15, 20, 21])
def test_pairs_multiply_back_to_the_predictor(order):
    given_coefficients = predictors(order)
    found = find_pairs(given_coefficients)
    assert found.shape == (2, (order + 1) // 2, given_coefficients.shape[1])
    assert expand_pairs(found, order) == pytest.approx(given_coefficients, abs=1e-9)


def test_pairs_hold_the_roots_that_numpy_finds():
    coefficients = predictors(20, seconds=0.6)
    for frame, (total, product) in zip(
        coefficients.T, find_pairs(coefficients).T.swapaxes(1, 2), strict=True
    ):
        ours = np.concatenate([np.roots([1.0, s, p]) for s, p in zip(total, product, strict=True)])
        assert np.sort_complex(ours.round(6)) == pytest.approx(
            np.sort_complex(np.roots(frame).round(6)), abs=2e-6
        )


@pytest.mark.parametrize(
    ("hertz", "expected_hz"),
    [
        (300, 460),
        (500, 692),
        (1000, 1206),
        (1500, 1667),
        (2500, 2509),
        (3500, 3284),
        (5000, 4369),
        (7000, 5718),
    ],
)
def test_published_frequency_map(hertz, expected_hz):
    moved = np.roots([1.0, *warp_pairs(pair(0.97, hertz), 0.8).ravel()])
    assert np.abs(np.angle(moved)) * 16000 / (2 * np.pi) == pytest.approx(expected_hz, abs=1)
    assert np.abs(moved) == pytest.approx(0.97, abs=1e-12)


def test_one_radian_is_the_fixed_point():
    fixed = pair(0.9, 16000 / (2 * np.pi))
    assert warp_pairs(fixed, 0.5) == pytest.approx(fixed, abs=1e-15)


def test_angles_beyond_half_the_rate_are_clipped():
    moved = np.roots([1.0, *warp_pairs(pair(0.9, 7900), 1.5).ravel()])
    assert np.sort(moved.real) == pytest.approx([-0.9, -0.9], abs=1e-6)


@given(
    first=st.floats(-0.99, 0.99),
    second=st.floats(-0.99, 0.99),
    alpha=st.floats(0.3, 2.0),
    rho=st.floats(0.5, 1.0),
)
def test_real_poles_keep_their_angle(first, second, alpha, rho):
    real = np.array([-(first + second), first * second]).reshape(2, 1, 1)
    # Rounding turns two equal real poles into a complex pair, where the map rightly applies.
    if real[0, 0, 0] ** 2 - 4 * real[1, 0, 0] < 1e-12:
        return
    moved = warp_pairs(real, alpha, rho).ravel()
    assert moved == pytest.approx([-rho * (first + second), rho**2 * first * second], abs=1e-12)


def test_radius_factor_equals_powers_on_the_coefficients():
    coefficients = predictors(20)
    scaled = expand_pairs(warp_pairs(find_pairs(coefficients), 1.0, 0.975), 20)
    powers = 0.975 ** np.arange(21)
    assert scaled == pytest.approx(powers[:, None] * coefficients, abs=1e-10)


def test_a_radius_of_975_thousandths_adds_129_hertz_of_bandwidth():
    radius = np.exp(-np.pi * 100 / 16000)
    moved = np.sqrt(warp_pairs(pair(radius, 800), 1.0, 0.975)[1, 0, 0])
    assert -np.log(moved) * 16000 / np.pi == pytest.approx(100 + 129, abs=0.1)


def test_all_moved_poles_are_stable():
    for alpha, rho in ((0.5, 1.0), (0.8, 0.975), (1.3, 1.0)):
        moved = expand_pairs(warp_pairs(find_pairs(predictors(20)), alpha, rho), 20)
        assert max(np.abs(np.roots(frame)).max() for frame in moved.T) < 1.0


@pytest.mark.parametrize(
    "poles",
    [
        np.zeros(20),
        np.full(20, 0.5),
        np.repeat([0.6 + 0.3j, 0.6 - 0.3j], 10),
        [0.5, 0.2, -0.9, *np.zeros(17)],
        # Equal imaginary parts: conjugates must not be confused.
        *[[x + s * 0.4j for x in np.linspace(-0.8, 0.8, 10) for s in (1, -1)]],
    ],
    ids=["zeros", "twenty equal", "ten equal pairs", "short predictor", "one line"],
)
@pytest.mark.parametrize("count", [1, 40])
def test_multiple_and_aligned_poles_are_factored(poles, count):
    coefficients = np.repeat(np.poly(poles).real[:, None], count, axis=1)
    found = find_pairs(coefficients)
    assert expand_pairs(found, 20) == pytest.approx(coefficients, rel=1e-12, abs=1e-12)


def test_frames_do_not_influence_each_other():
    coefficients = predictors(20)
    together = expand_pairs(warp_pairs(find_pairs(coefficients), 0.8), 20)
    alone = [
        expand_pairs(warp_pairs(find_pairs(frame[:, None]), 0.8), 20) for frame in coefficients.T
    ]
    assert together == pytest.approx(np.concatenate(alone, axis=1), abs=1e-7)
