import numpy as np
import pytest
import torch

from scripts.lib import frames

NOISE = np.random.default_rng(0).normal(0, 0.1, 16099).astype(np.float32)


def test_mel_agrees_with_an_unpadded_stft_after_reflection():
    """Section 2 of the recipe, done by another library: 432 samples reflected, no centring."""
    waveform = torch.from_numpy(NOISE[:16000].astype(np.float64))[None]
    padded = torch.nn.functional.pad(waveform, (432, 432), mode="reflect")
    window = torch.hann_window(400, dtype=torch.float64)
    spectrum = (
        torch.stft(padded, 1024, 160, 400, window, center=False, return_complex=True)[0]
        .abs()
        .numpy()
        ** 2
    )
    expected = 0.5 * np.log(np.maximum(frames.mel_filters() @ spectrum, 1e-8)).T
    found = frames.log_mel(NOISE)
    assert found.dtype == np.float32
    assert found.shape == (100, 80)
    assert np.abs(found - expected).max() < 1e-5


def test_a_click_is_loudest_in_the_frame_centred_on_it():
    samples = np.zeros(8000, dtype=np.float32)
    samples[160 * 20 + 80] = 1.0
    assert frames.log_mel(samples).sum(axis=1).argmax() == 20


def test_filters_are_triangles_of_peak_one_that_add_up_to_one_between_centres():
    filters = frames.mel_filters(20, 8192)
    assert filters.max(axis=1) == pytest.approx(np.ones(20), abs=0.03)
    centres = filters.argmax(axis=1)
    assert filters[:, centres[0] : centres[-1] + 1].sum(axis=0) == pytest.approx(1.0, abs=0.03)


def test_white_noise_lies_where_the_vocoder_expects_it():
    """Expected band power of unit noise: sum of weights times sum of squared window."""
    noise = np.random.default_rng(1).normal(0, 1, 160000).astype(np.float32)
    power = np.exp(2.0 * frames.log_mel(noise).astype(float)).mean(axis=0)
    expected = frames.mel_filters().sum(axis=1) * (frames.hann(400) ** 2).sum()
    assert power == pytest.approx(expected, rel=0.15)


def test_level_is_that_of_active_frames_and_does_not_depend_on_gain_or_pauses():
    loud = frames.level(NOISE)
    assert 20 * np.log10(np.sqrt(np.mean(loud.astype(float) ** 2))) == pytest.approx(-26, abs=1e-3)
    quiet = frames.level(np.concatenate([NOISE[:16000] * 0.01, np.zeros(16000, np.float32)]))
    assert quiet[:16000] == pytest.approx(loud, rel=1e-4)
    assert not quiet[16000:].any()


def test_silence_has_no_level_and_the_lowest_mel():
    silence = np.zeros(1600, dtype=np.float32)
    assert not frames.level(silence).any()
    assert frames.log_mel(silence) == pytest.approx(0.5 * np.log(1e-8))


def test_less_than_a_frame_is_an_error():
    with pytest.raises(ValueError, match="159 samples are less than a frame"):
        frames.level(NOISE[:159])
