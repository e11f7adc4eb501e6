"""Features against an independent implementation and against loops."""

import kaldi_native_fbank
import numpy as np
import pytest

from scripts.lib.models.mfcc import mfcc, voiced_cepstra, voiced_frames, without_sliding_mean
from tests.factories import make_tone

PLAN = {
    "cepstra": 30,
    "low_hz": 20,
    "high_hz": 7600,
    "dither": 0.0,
    "cmn_frames": 300,
    "vad_threshold": 5.5,
    "vad_mean_scale": 0.5,
    "vad_context": 2,
    "vad_proportion": 0.12,
}


def reference(samples):
    """Kaldi's features by the package kaldi-native-fbank."""
    options = kaldi_native_fbank.MfccOptions()
    options.frame_opts.dither = 0.0
    options.frame_opts.snip_edges = False
    options.mel_opts.num_bins = options.num_ceps = 30
    options.mel_opts.low_freq, options.mel_opts.high_freq = 20.0, 7600.0
    options.use_energy = options.raw_energy = True
    online = kaldi_native_fbank.OnlineMfcc(options)
    online.accept_waveform(16000, (samples * 32768.0).tolist())
    online.input_finished()
    return np.stack([online.get_frame(frame) for frame in range(online.num_frames_ready)])


@pytest.mark.parametrize("count", [16000, 16079, 16081, 5000])
def test_equal_to_kaldi(count):
    samples = make_tone(1.1)[:count]
    found = mfcc(samples, PLAN)
    assert found.shape == (round(count / 160), 30)
    assert found == pytest.approx(reference(samples), abs=2e-2)


def test_first_coefficient_is_the_raw_log_energy_at_16_bits():
    # A constant is removed from every frame; a square wave of amplitude a has energy 400 a².
    square = np.tile(np.repeat([0.25, -0.25], 8), 1000).astype(np.float32)
    energy = mfcc(square, PLAN)[10:-10, 0]
    assert energy == pytest.approx(np.log(400 * (0.25 * 32768) ** 2), abs=1e-3)


def test_dither_is_the_same_each_time_and_small():
    samples = make_tone(1.0)
    dithered = {**PLAN, "dither": 1.0}
    assert (mfcc(samples, dithered) == mfcc(samples, dithered)).all()
    moved = np.abs(mfcc(samples, dithered)[:, 0] - mfcc(samples, PLAN)[:, 0])
    assert 0 < moved.max() < 1e-3
    silent = mfcc(np.zeros(16000, dtype=np.float32), dithered)
    # Noise of variance one, 400 samples to a frame.
    assert silent[:, 0].mean() == pytest.approx(np.log(400), abs=0.05)


def test_voiced_frames_are_those_a_loop_finds():
    energy = np.random.default_rng(0).normal(10, 4, 200)
    settings = {"threshold": 5.5, "mean_scale": 0.5, "context": 2, "proportion": 0.6}
    limit = 5.5 + 0.5 * energy.mean()
    expected = []
    for frame in range(200):
        near = energy[max(0, frame - 2) : frame + 3]
        expected.append(np.mean(near > limit) >= 0.6)
    assert voiced_frames(energy, **settings).tolist() == expected


@pytest.mark.parametrize("frames", [1, 100, 300, 301, 1000])
def test_sliding_mean_is_that_of_a_loop(frames):
    cepstra = np.random.default_rng(1).normal(size=(frames, 3))
    found = without_sliding_mean(cepstra, 300)
    for frame in range(frames):
        start = max(0, min(frame - 150, frames - 300))
        mean = cepstra[start : start + 300].mean(axis=0)
        assert found[frame] == pytest.approx(cepstra[frame] - mean, abs=1e-9)


def test_silence_is_dropped_after_the_mean_is_removed():
    tone = make_tone(2.0)
    quiet = np.concatenate([tone, np.zeros(32000, dtype=np.float32)])
    found = voiced_cepstra(quiet, {**PLAN, "dither": 1.0})
    assert abs(len(found) - 200) <= 4
    # Half of each window is silent: loud frames stay above the mean of their window.
    assert found[:, 0].mean() > 1.0
    with pytest.raises(ValueError, match="no frame is loud enough"):
        voiced_cepstra(np.zeros(16000, dtype=np.float32), {**PLAN, "dither": 1.0})
