import numpy as np
import pytest

from scripts.lib.systems.speaker_profile import band_levels, measure_profile, track_formants
from tests.unit.systems.neutral_voice import neutral_voice


@pytest.mark.parametrize("tract_hz", [490.0, 540.0, 590.0])
def test_formants_of_a_tube_are_odd_multiples(tract_hz):
    voice = neutral_voice(tract_hz=tract_hz, pause=False)
    found = np.nanmedian(track_formants(voice)[20:-20, :4], axis=0)
    assert found == pytest.approx(tract_hz * np.array([1, 3, 5, 7]), rel=0.04)


@pytest.mark.parametrize("tract_hz", [500.0, 558.0, 600.0])
def test_tract_follows_the_published_regression(tract_hz):
    # 229 + (0.030 + 0.082 + 0.124 + 0.354) φ; its fixed point is 229 / 0.41 = 558.5 Hz.
    profile = measure_profile(neutral_voice(tract_hz=tract_hz))
    assert profile.tract_hz == pytest.approx(229 + 0.59 * tract_hz, rel=0.02)
    assert profile.formant_tract_hz[:4] == pytest.approx([tract_hz] * 4, rel=0.05)


@pytest.mark.parametrize("syllables_per_s", [2.0, 3.0, 4.5])
def test_syllables_are_counted_per_second_of_speech(syllables_per_s):
    voice = neutral_voice(seconds=4.0, syllables_per_s=syllables_per_s)
    # Half a second of the four is a pause and does not count.
    assert measure_profile(voice).syllables_per_s == pytest.approx(syllables_per_s, rel=0.12)


def test_pitch_is_the_median():
    assert measure_profile(neutral_voice(pitch_hz=180.0)).pitch_hz == pytest.approx(180.0, rel=0.02)


@pytest.mark.parametrize("samples", [np.zeros(8000), 0.1 * np.ones(8000), np.zeros(10)])
def test_what_cannot_be_measured_is_none(samples):
    profile = measure_profile(samples)
    assert profile.pitch_hz is None
    assert profile.tract_hz is None
    assert profile.formant_tract_hz is None
    assert profile.syllables_per_s is None


def test_band_levels_are_relative_to_70_db():
    t = np.arange(16000) / 16000
    # Powers 1 : 0.01 in the bands 250–1000 Hz and 2000–3000 Hz.
    tones = np.sin(2 * np.pi * 600 * t) + 0.1 * np.sin(2 * np.pi * 2500 * t)
    levels = band_levels(5.0 * tones, 500.0)
    assert levels[1] == pytest.approx(70 + 10 * np.log10(1 / 1.01), abs=0.01)
    assert levels[3] == pytest.approx(70 + 10 * np.log10(0.01 / 1.01), abs=0.01)
    assert levels[[0, 2, 4, 5]].max() < 0


def test_all_power_is_in_some_band_or_above():
    noise = np.random.default_rng(0).normal(size=32000)
    shares = 10 ** ((band_levels(noise, 540.0) - 70) / 10)
    assert shares.sum() == pytest.approx(5400 / 8000, abs=0.02)
