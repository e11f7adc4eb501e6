"""Both trackers on sounds whose pitch is known."""

import numpy as np
import pytest
from amfm_decompy import pYAAPT
from amfm_decompy.basic_tools import SignalObj

from scripts.lib.frames import HOP, frame_count
from scripts.lib.pitch import nccf, yaapt

RANGE = {"low_hz": 60, "high_hz": 500}
TRACKERS = pytest.mark.parametrize("track", [nccf.track, yaapt.track], ids=["nccf", "yaapt"])


def pulses(hz: float, duration_s: float = 0.6) -> np.ndarray:
    """Impulses through a resonance at 700 Hz, as a vowel is."""
    count = round(duration_s * 16000)
    time = np.arange(count) / 16000
    train = np.diff(np.floor(hz * time), prepend=0.0)
    ring = np.exp(-400 * time[:400]) * np.sin(2 * np.pi * 700 * time[:400])
    return np.convolve(train, ring)[:count]


@pytest.mark.parametrize("hz", [75.0, 121.3, 230.0, 410.0])
def test_nccf_finds_the_rate_of_a_pulse_train_within_a_percent(hz):
    contour = nccf.track(pulses(hz), RANGE)
    inner = contour[5:-5]
    assert (inner > 0).all()
    assert np.abs(inner / hz - 1).max() < 0.01


def test_yaapt_finds_the_rate_of_a_pulse_train():
    contour = yaapt.track(pulses(121.3), {"low_hz": 60, "high_hz": 600})
    assert abs(np.median(contour[contour > 0]) / 121.3 - 1) < 0.03


@TRACKERS
@pytest.mark.parametrize("count", [160, 700, 1600, 7999, 8000])
def test_there_is_a_value_for_every_frame(track, count):
    samples = pulses(120.0)[:count]
    contour = track(samples, RANGE)
    assert contour.shape == (frame_count(samples),)
    assert contour.dtype == np.float32
    assert np.isfinite(contour).all()


@TRACKERS
def test_silence_is_unvoiced(track):
    assert not track(np.zeros(4000), RANGE).any()


@TRACKERS
def test_voicing_begins_and_ends_where_the_sound_does(track):
    samples = np.zeros(16000)
    samples[4800:11200] = pulses(150.0, 0.4)
    samples += np.random.default_rng(0).normal(0, 1e-3, len(samples))
    voiced = np.flatnonzero(track(samples, RANGE)) * HOP + HOP // 2
    assert abs(voiced.min() - 4800) <= 4 * HOP
    assert abs(voiced.max() - 11200) <= 4 * HOP


def glide() -> tuple[np.ndarray, np.ndarray]:
    """Harmonics that rise by 1 Hz per frame, and their pitch at each frame's centre."""
    hz = np.linspace(100, 200, 16000)
    phase = np.cumsum(hz) / 16000
    return sum(np.cos(2 * np.pi * k * phase) for k in range(1, 12)), hz[HOP // 2 :: HOP]


def test_nccf_follows_a_glide_without_delay():
    samples, hz = glide()
    difference = nccf.track(samples, RANGE) - hz
    assert abs(np.median(difference[10:-10])) < 0.5


def test_yaapt_lies_on_the_grid():
    """Its own frame k is centred 1.25 frames after ours of the same number."""
    samples, _ = glide()
    settings = {"frame_length": 35.0, "frame_space": 10.0, "f0_min": 60.0, "f0_max": 500.0}
    raw = pYAAPT.yaapt(SignalObj(samples, 16000), **settings).samp_values
    ours = yaapt.track(samples, RANGE)
    assert len(raw) == len(ours) - 3
    later = raw - ours[1 : 1 + len(raw)]
    assert -0.25 < np.mean(later[5:-5]) < 0.75
