import tracemalloc

import numpy as np
import pytest

from scripts.lib.systems import lpc
from scripts.lib.systems.lpc import burg, filter_all_pole, filter_inverse, lpc_warp
from tests.unit.systems.per_frame_reference import (
    burg_one,
    speech_like,
    vector_of_2024,
    warp_per_frame,
)


def test_published_vector():
    result = lpc_warp(vector_of_2024(), alpha=0.8)
    assert result[[1000, 2000, 3000]] == pytest.approx(
        [0.04405888, -0.17127223, 0.13050163], abs=1e-8
    )
    assert np.argmax(np.abs(result)) == 759
    assert np.abs(result[759]) == pytest.approx(0.29175934, abs=1e-8)
    assert np.sqrt(np.mean(result**2)) == pytest.approx(0.0900644, abs=1e-7)
    assert lpc_warp(vector_of_2024(), alpha=1.0)[1000] == pytest.approx(0.08411579, abs=1e-8)


@pytest.mark.parametrize(
    ("alpha", "rho"), [(0.8, 1.0), (0.5, 1.0), (0.9, 1.0), (1.0, 1.0), (0.8, 0.975), (1.1, 0.9)]
)
@pytest.mark.parametrize("skip_first_frame", [False, True])
def test_equals_the_per_frame_formulation(alpha, rho, skip_first_frame):
    speech = speech_like(2.0)
    expected = warp_per_frame(speech, alpha, rho, first=int(skip_first_frame))
    result = lpc_warp(speech, alpha=alpha, rho=rho, skip_first_frame=skip_first_frame)
    assert result == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize(("order", "window", "hop"), [(15, 400, 100), (20, 330, 160), (2, 64, 64)])
def test_other_grids_equal_the_per_frame_formulation(order, window, hop):
    # No digital silence: on a frame of zeros the plain recursion may divide rounding by rounding.
    speech = speech_like(0.7) + 1e-4 * np.random.default_rng(0).normal(size=11200)
    result = lpc_warp(speech, alpha=0.8, order=order, window=window, hop=hop)
    expected = warp_per_frame(speech, 0.8, order=order, window=window, hop=hop)
    assert result == pytest.approx(expected, abs=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("chunk_frames", [1, 7, 64])
def test_chunks_do_not_show(monkeypatch, chunk_frames):
    speech = speech_like(1.0)
    whole = lpc_warp(speech, alpha=0.8)
    monkeypatch.setattr(lpc, "CHUNK_FRAMES", chunk_frames)
    assert lpc_warp(speech, alpha=0.8) == pytest.approx(whole, abs=1e-6 * np.abs(whole).max())


def test_alpha_one_is_the_identity_up_to_the_window_ripple():
    speech = speech_like(2.0)
    inside = slice(160, 160 * ((len(speech) - 320) // 160) - 160)
    result = lpc_warp(speech, alpha=1.0)[inside]
    error_db = 10 * np.log10(np.sum((result - speech[inside]) ** 2) / np.sum(speech[inside] ** 2))
    assert error_db < -40


def test_edges_of_the_output_are_silent():
    noise = np.random.default_rng(0).uniform(-0.5, 0.5, 1600 + 70)
    result = lpc_warp(noise, alpha=0.8, skip_first_frame=True)
    assert len(result) == 1670
    assert not result[:160].any()
    assert not result[1600:].any()
    assert lpc_warp(noise, alpha=0.8)[1:160].all()


@pytest.mark.parametrize("length", [0, 1, 319, 320, 479, 480, 1600])
def test_length_is_kept(length):
    noise = np.random.default_rng(0).uniform(-1, 1, length).astype(np.float32)
    result = lpc_warp(noise, alpha=0.8)
    assert result.shape == (length,)
    assert np.isfinite(result).all()
    assert result.any() == (length >= 320)


def test_radius_one_changes_no_sample():
    speech = speech_like(0.5)
    assert np.array_equal(lpc_warp(speech, alpha=0.8), lpc_warp(speech, alpha=0.8, rho=1.0))


def test_burg_equals_the_recursion_of_one_frame():
    frames = np.random.default_rng(1).normal(size=(320, 5)).cumsum(axis=0)
    for frame, coefficients in zip(frames.T, burg(frames, 20).T, strict=True):
        assert coefficients == pytest.approx(burg_one(frame, 20), abs=1e-9)


def test_burg_finds_the_predictor_of_a_long_autoregression():
    true = np.poly([0.9 * np.exp(0.6j), 0.9 * np.exp(-0.6j), -0.5]).real
    noise = np.random.default_rng(2).normal(size=(100_000, 1))
    assert burg(filter_all_pole(noise, true[:, None]), 3).ravel() == pytest.approx(true, abs=0.01)


def test_the_filters_are_inverse():
    rng = np.random.default_rng(3)
    frames = rng.normal(size=(320, 4))
    predictor = burg(frames, 20)
    assert filter_all_pole(filter_inverse(frames, predictor), predictor) == pytest.approx(frames)


T = np.arange(1600) / 16000
HARD = {
    "silence": np.zeros(1600),
    "dc": np.full(1600, 0.5),
    "full-scale dc": np.full(1600, 1.0),
    "sine": np.sin(2 * np.pi * 440 * T),
    "clipped sine": np.clip(5 * np.sin(2 * np.pi * 440 * T), -1, 1),
    "square": np.where(np.sin(2 * np.pi * 100 * T) >= 0, 1.0, -1.0),
    "clipped noise": np.clip(np.random.default_rng(0).normal(0, 3, 1600), -1, 1),
    "impulse": np.eye(1, 1600, 700)[0],
    "half the rate": np.cos(np.pi * np.arange(1600)),
    "ramp": T / T[-1],
    "one step of 16 bits": np.random.default_rng(0).integers(-1, 2, 1600) / 32768,
}


@pytest.mark.parametrize("name", HARD)
@pytest.mark.parametrize(("alpha", "rho"), [(0.5, 1.0), (0.8, 1.0), (0.9, 0.975), (1.0, 1.0)])
def test_degenerate_input_survives(name, alpha, rho):
    with np.errstate(all="raise", under="ignore"):
        result = lpc_warp(HARD[name].astype(np.float32), alpha=alpha, rho=rho)
    assert np.isfinite(result).all()
    assert np.abs(result).max() < 1000


def test_working_memory_does_not_grow_with_the_utterance():
    def peak_beyond_input(seconds):
        noise = np.random.default_rng(0).uniform(-0.5, 0.5, seconds * 16000).astype(np.float32)
        tracemalloc.start()
        lpc_warp(noise, alpha=0.8)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        # Two double arrays of the length of the signal: the input plus offset, and the output.
        return peak - 2 * 8 * len(noise)

    assert peak_beyond_input(35) < 1.05 * peak_beyond_input(12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0.0}, "alpha must be positive"),
        ({"alpha": float("nan")}, "alpha must be positive"),
        ({"rho": 1.01}, "rho must lie"),
        ({"rho": 0.0}, "rho must lie"),
        ({"order": 320}, "order < window"),
        ({"hop": 0}, "hop <= window"),
        ({"samples": np.zeros((2, 1600))}, "mono samples"),
        ({"samples": np.array([0.0, np.nan])}, "NaN or infinite"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"samples": np.zeros(1600), "alpha": 0.8} | change
    with pytest.raises(ValueError, match=message):
        lpc_warp(**arguments)
