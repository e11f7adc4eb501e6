import numpy as np
import pytest

from scripts.lib.audio import RATE_HZ
from scripts.lib.prosody import prosody_statistics
from tests.factories import make_tone

# Places in the vector: mean and median of pitch in octaves, its range, share of voiced frames.
PITCH_MEAN, PITCH_MEDIAN, PITCH_RANGE, VOICED = 58, 62, 65, 68


def test_a_gain_changes_nothing():
    tone = make_tone(1.0, 150)
    np.testing.assert_allclose(
        prosody_statistics(0.01 * tone), prosody_statistics(tone), rtol=1e-6, atol=1e-6
    )


def test_an_octave_is_one():
    low, high = (prosody_statistics(make_tone(1.0, hz)) for hz in (120, 240))
    assert high[PITCH_MEDIAN] - low[PITCH_MEDIAN] == pytest.approx(1.0, abs=0.01)
    assert low[VOICED] == pytest.approx(1.0, abs=0.05)


def test_a_glide_has_its_range():
    time = np.arange(RATE_HZ) / RATE_HZ
    phase = 2 * np.pi * 120 * (2**time - 1) / np.log(2)  # one octave up in a second
    glide = sum(np.cos(k * phase) / k for k in range(1, 10))
    statistics = prosody_statistics(glide)
    assert statistics[PITCH_RANGE] == pytest.approx(1.0, abs=0.08)
    assert 2 ** statistics[PITCH_MEAN] == pytest.approx(120 * 2**0.5, rel=0.02)


def test_noise_and_silence_have_finite_statistics():
    noise = np.random.default_rng(0).normal(0, 0.1, RATE_HZ)
    assert prosody_statistics(noise)[VOICED] < 0.2
    assert np.isfinite(prosody_statistics(np.zeros(RATE_HZ))).all()
