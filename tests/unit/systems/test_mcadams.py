import random

import numpy as np
import pytest

from scripts.lib.systems import mcadams
from tests.unit.systems.per_frame_reference import speech_like, vector_of_2024, warp_per_frame

B2_2020 = {"alpha": 0.8, "skip_first_frame": True}
D1 = {"alpha": 0.8, "rho": 0.975}


class Untouchable:
    def uniform(self, low, high):
        raise AssertionError("a fixed alpha must not consume random numbers")


def test_published_vector_in_16_bits():
    result = mcadams.process(vector_of_2024(), {"alpha": 0.8}, {"skip_first_frame": False})
    assert result.dtype == np.int16
    assert result[[0, 1, 1000, 2000, 3000]].tolist() == [0, 1, 4948, -19234, 14655]


def test_alphas_of_2024():
    rng = np.random.default_rng(4284258105)
    params = {"alpha": {"uniform": [0.5, 0.9]}}
    drawn = [mcadams.draw(rng, params)["alpha"] for _ in range(6)]
    expected = [0.6875880726, 0.5674710284, 0.7592414130, 0.8749947181, 0.6147263879, 0.6692523630]
    assert drawn == pytest.approx(expected, abs=1e-10)


def test_fixed_alpha_draws_nothing():
    assert mcadams.draw(Untouchable(), B2_2020) == {"alpha": 0.8}


def test_pythons_generator_serves_too():
    params = {"alpha": {"uniform": [0.5, 0.9]}}
    voice = mcadams.draw(random.Random("0"), params)
    assert voice == mcadams.draw(random.Random("0"), params)
    assert 0.5 <= voice["alpha"] <= 0.9
    assert isinstance(voice["alpha"], float)


def test_peak_is_normalised_and_truncated_toward_zero():
    speech = speech_like(0.5) / 50
    warped = warp_per_frame(speech, 0.7)
    result = mcadams.process(speech, {"alpha": 0.7}, {})
    assert np.abs(result).max() == 32766
    lost = np.abs(warped) / np.abs(warped).max() * 32766 - np.abs(result)
    assert lost.min() > -0.03
    assert lost.max() < 1.03


def test_first_frame_rule():
    speech = speech_like(0.5)
    assert not mcadams.process(speech, {"alpha": 0.8}, B2_2020)[:160].any()
    assert mcadams.process(speech, {"alpha": 0.8}, {})[:160].any()


def test_frame_parameters_are_in_milliseconds():
    speech = speech_like(0.5)
    params = {"lpc_order": 16, "window_ms": 25, "hop_ms": 12.5}
    expected = warp_per_frame(speech, 0.8, order=16, window=400, hop=200)
    result = mcadams.process(speech, {"alpha": 0.8}, params)
    assert result == pytest.approx(expected / np.abs(expected).max() * 32766, abs=1.01)


def test_d1_with_radius_one_is_b2_sample_by_sample():
    speech = speech_like(0.5)
    voice = {"alpha": 0.8}
    assert np.array_equal(
        mcadams.process(speech, voice, D1 | {"rho": 1.0}), mcadams.process(speech, voice, {})
    )
    assert not np.array_equal(
        mcadams.process(speech, voice, D1), mcadams.process(speech, voice, {})
    )


@pytest.mark.parametrize("length", [0, 100, 320, 1600, 35 * 16000])
def test_silence_stays_silence(length):
    result = mcadams.process(np.zeros(length, dtype=np.float32), {"alpha": 0.8}, {})
    assert result.dtype == np.int16
    assert result.shape == (length,)
    assert not result.any()


def test_the_quietest_recording_is_not_silence():
    noise = np.random.default_rng(0).integers(-1, 2, 1600) / 32768
    assert np.abs(mcadams.process(noise, {"alpha": 0.8}, {})).max() == 32766


def test_same_input_gives_the_same_bytes():
    speech = speech_like(1.0)
    first = mcadams.process(speech, {"alpha": 0.6}, {})
    assert np.array_equal(first, mcadams.process(speech.copy(), {"alpha": 0.6}, {}))
