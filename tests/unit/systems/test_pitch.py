import numpy as np
import pytest
from scipy.signal import chirp

from scripts.lib.systems.pitch import track_pitch
from tests.unit.systems.neutral_voice import neutral_voice


@pytest.mark.parametrize("pitch_hz", [80, 95, 130, 220, 400, 580])
def test_pulses_are_tracked_to_one_percent(pitch_hz):
    # Pulses from cosines: pulses on whole samples would have a longer period.
    phase = 2 * np.pi * pitch_hz * np.arange(16000) / 16000
    pulses = sum(np.cos(k * phase) / k for k in range(1, int(8000 / pitch_hz)))
    contour = track_pitch(pulses)[5:-5]
    assert np.mean(contour > 0) > 0.98
    assert contour[contour > 0] == pytest.approx(pitch_hz, rel=0.01)


def test_a_glide_is_followed():
    t = np.arange(16000) / 16000
    tone = sum(chirp(t, 100 * k, 1.0, 200 * k) / k for k in range(1, 8))
    contour = track_pitch(tone)[10:90]
    assert contour == pytest.approx(100 + np.arange(10, 90), rel=0.03)


def test_formants_do_not_attract_the_pitch():
    contour = track_pitch(neutral_voice(pitch_hz=110.0, tract_hz=500.0))
    assert np.median(contour[contour > 0]) == pytest.approx(110.0, rel=0.02)


def test_noise_and_silence_are_unvoiced():
    noise = np.random.default_rng(0).normal(size=16000)
    assert np.mean(track_pitch(noise) > 0) < 0.05
    assert not track_pitch(np.zeros(16000)).any()


def test_level_does_not_matter():
    voice = neutral_voice(seconds=1.0).astype(float)
    assert track_pitch(voice) == pytest.approx(track_pitch(1e-3 * voice))


@pytest.mark.parametrize("length", [1, 100, 159, 160, 1600])
def test_one_value_per_hundredth_of_a_second(length):
    assert track_pitch(np.ones(length)).shape == (1 + length // 160,)
