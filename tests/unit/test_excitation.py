import numpy as np
import pytest

from scripts.lib.audio import RATE_HZ
from scripts.lib.excitation import harmonic_source, sample_pitch, sine_source

NSF = {"harmonics": 8, "amplitude": 0.1, "voiced_noise": 0.003}


def spectrum_of(samples):
    """Power by frequency; a second has a bin per Hz, so a line of whole Hz fills one bin."""
    return np.abs(np.fft.rfft(samples[-RATE_HZ:])) ** 2


@pytest.mark.parametrize("hz", [100, 125, 440])
def test_harmonics_are_lines_at_multiples_of_the_pitch(hz):
    source = harmonic_source(np.full(120, float(hz)))
    power = spectrum_of(source)
    lines = np.arange(hz, 7901, hz)
    assert power[lines].sum() / power.sum() > 1 - 1e-9
    assert power[lines] == pytest.approx(np.full(len(lines), power[hz]))


def test_closed_form_is_the_sum_of_cosines():
    f0 = np.array([90.0, 120.0, 150.0, 140.0])
    phase = 0.3 + np.cumsum(sample_pitch(f0) / RATE_HZ)
    pitch = sample_pitch(f0)
    expected = np.zeros_like(phase)
    for k in range(1, 89):
        expected += np.cos(2 * np.pi * k * phase) * (k * pitch <= 7900)
    assert harmonic_source(f0, 0.3) == pytest.approx(expected * 2 * np.sqrt(pitch / RATE_HZ))


@pytest.mark.parametrize("hz", [80.0, 200.0, 390.0])
def test_mean_power_density_is_that_of_unit_white_noise(hz):
    source = harmonic_source(np.full(200, hz))
    # Unit noise has a power of one over 8 kHz; the harmonics end at the last below 7.9 kHz.
    top = hz * np.floor(7900 / hz)
    assert np.mean(source**2) == pytest.approx(top / 8000, rel=0.01)


def test_a_phase_of_exactly_zero_gives_the_limit():
    # 16000 / 100 samples are one period, so the phase returns to 0 again and again.
    source = harmonic_source(np.full(10, 100.0), start=0.0)
    assert source.max() == pytest.approx(79 * 2 * np.sqrt(100 / RATE_HZ))
    assert np.isfinite(source).all()


def test_nothing_is_harmonic_where_unvoiced():
    f0 = np.array([100.0, 0.0, 0.0, 120.0])
    source = harmonic_source(f0)
    assert not source[160:480].any()
    assert source[:160].any()
    assert source[480:].any()


def test_sines_of_100_hz_are_lines_at_100_to_800_hz_only():
    quiet = {**NSF, "voiced_noise": 0.0}
    source = sine_source(np.full(130, 100.0), np.random.default_rng(0), **quiet)
    power = spectrum_of(source.sum(axis=1))
    lines = np.arange(100, 801, 100)
    assert power[lines].sum() / power.sum() > 1 - 1e-9
    assert np.flatnonzero(power > 1e-6 * power.max()).tolist() == lines.tolist()


def test_voiced_noise_is_small_beside_the_sines():
    source = sine_source(np.full(200, 100.0), np.random.default_rng(0), **NSF)
    power = spectrum_of(source[:, 0])
    others = (power.sum() - power[100]) / power.sum()
    assert others == pytest.approx(0.003**2 / (0.1**2 / 2), rel=0.1)


def test_unvoiced_sines_are_noise_without_a_peak_of_autocorrelation():
    source = sine_source(np.zeros(200), np.random.default_rng(0), **NSF)
    assert source.std() == pytest.approx(0.1 / 3, rel=0.02)
    for column in source.T:
        correlation = np.correlate(column, column[:-600], "valid")
        assert np.abs(correlation[1:]).max() < 0.04 * correlation[0]


def test_phase_does_not_drift_over_a_minute():
    source = sine_source(
        np.full(6000, 100.0), np.random.default_rng(0), **{**NSF, "voiced_noise": 0}
    )
    assert source[-160:, 0] == pytest.approx(source[:160, 0], abs=1e-6)


def test_first_harmonic_starts_at_zero_and_draws_decide_the_others():
    one, same, other = (
        sine_source(np.full(3, 100.0), np.random.default_rng(seed), **NSF) for seed in (0, 0, 1)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one[:, 1:], other[:, 1:])
    assert np.abs(one[:, 0] - other[:, 0]).max() < 0.03
