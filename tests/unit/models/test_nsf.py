from itertools import pairwise

import numpy as np
import pytest
import torch

from scripts.lib.frames import HOP
from scripts.lib.models import hn_sinc_nsf, joint_nsf, nsf
from scripts.lib.models.discriminators import Discriminators, discriminator_loss, matching_loss
from scripts.lib.models.spectral_loss import log_power_distance
from scripts.lib.models.training import fit, use_threads
from tests.unit.models.test_acoustic_models import TRAINING
from tests.unit.models.tiny_speech import VECTOR, make_speech

ENTRY = {
    "backend": "hn_sinc_nsf",
    "pitch": "p",
    "vectors": "v",
    "updates": 40,
    "report_updates": 20,
    "validation": 0.1,
    "batch": 2,
    "crop_frames": 32,
    "channels": 8,
    "recurrent": 8,
    "blocks": 2,
    "layers": 3,
    "noise_layers": 2,
    "training": {**TRAINING, "weight_decay": 0.0},
}
JOINT = {
    **ENTRY,
    "backend": "joint_nsf",
    "content": "c",
    "discriminator_width": 0.03,
    "updates": 12,
    "report_updates": 4,
}


@pytest.mark.parametrize("cutoff", [0.1, 0.5, 0.9])
def test_low_and_high_pass_sum_to_one_at_both_ends(cutoff):
    low, high = (taps.numpy()[0] for taps in nsf.sinc_filters(torch.tensor([cutoff])))
    assert low.shape == high.shape == (31,)
    padded = [np.roll(np.pad(taps, (0, 961)), -15) for taps in (low, high)]
    responses = [np.fft.rfft(taps) for taps in padded]
    total = np.abs(responses[0] + responses[1])
    assert total[[0, -1]] == pytest.approx(1, abs=0.025)
    # 0 dB where each lets pass, little where it does not.
    assert responses[0][0].real == pytest.approx(1, abs=1e-5)
    assert responses[1][-1].real == pytest.approx(1, abs=1e-5)
    assert abs(responses[0][-1]) < 0.025
    assert abs(responses[1][0]) < 0.025


def test_the_low_pass_cuts_at_its_cutoff():
    low, _ = nsf.sinc_filters(torch.tensor([0.5]))
    response = np.abs(np.fft.rfft(low.numpy()[0], 1600))
    # The gain is one half at 4 kHz, bin 400 of 800.
    assert response[400] == pytest.approx(0.5, abs=0.01)
    assert response[200] == pytest.approx(1, abs=0.01)
    assert response[600] < 0.01


def test_time_varying_filters_delay_nothing():
    impulse = torch.zeros(1, 101)
    impulse[0, 50] = 1.0
    low, high = nsf.sinc_filters(torch.full((1, 101), 0.4))
    for taps in (low, high):
        out = nsf.filtered(impulse, taps)[0]
        assert int(out.abs().argmax()) == 50
        assert torch.allclose(out, out.flip(0), atol=1e-6)


def test_upsampling_is_repetition_and_two_moving_averages():
    frames = torch.randn(1, 1, 9, generator=torch.Generator().manual_seed(0))
    expected = np.repeat(frames.numpy()[0, 0], HOP)
    assert nsf.upsampled(frames, ())[0, 0].numpy() == pytest.approx(expected)
    for _ in range(2):
        padded = np.concatenate([np.full(80, expected[0]), expected, np.full(79, expected[-1])])
        expected = np.convolve(padded, np.full(HOP, 1 / HOP), "valid")
    inner = slice(2 * HOP, -2 * HOP)
    smooth = nsf.upsampled(frames, (HOP, HOP))[0, 0].numpy()
    assert smooth.shape == expected.shape
    assert smooth[inner] == pytest.approx(expected[inner], abs=1e-5)


def test_cutoffs_stay_in_their_ranges():
    torch.manual_seed(0)
    context = nsf.Context(5, 4, 8)
    f0 = torch.zeros(1, 40)
    f0[:, 20:] = 150.0
    with torch.no_grad():
        values, cutoff = context(10 * torch.randn(1, 40, 5), f0)
    assert values.shape == (1, 4, 40 * HOP)
    # Away from the change of voicing, which is smoothed over four frames.
    unvoiced, voiced = cutoff[0, : 17 * HOP], cutoff[0, 23 * HOP :]
    assert 0.1 <= float(unvoiced.min()) <= float(unvoiced.max()) <= 0.5
    assert 0.5 <= float(voiced.min()) <= float(voiced.max()) <= 0.9


def test_blocks_are_causal():
    torch.manual_seed(0)
    block = nsf.Block(4, 3)
    source, context = torch.randn(1, 1, 100), torch.randn(1, 4, 100)
    changed = source.clone()
    changed[:, :, 60] += 1.0
    before, after = block(source, context), block(changed, context)
    assert torch.equal(before[:, :, :60], after[:, :, :60])
    assert not torch.equal(before, after)


def test_the_vocoder_learns_speaks_and_repeats_itself(tmp_path):
    use_threads(1)
    table, files = make_speech(tmp_path)
    training = hn_sinc_nsf.Training(table, ENTRY, 0, 1, files)
    curve = fit(training, epochs=2, seed=0, checkpoint=tmp_path / "c.pt", fingerprint="x")
    assert curve["train_loss"].iloc[1] < 0.8 * curve["train_loss"].iloc[0]
    vocoder = hn_sinc_nsf.Vocoder(training.model(), ENTRY)
    rng = np.random.default_rng(0)
    mel, f0 = rng.normal(-3, 1, (23, 80)), np.where(np.arange(23) < 9, 0.0, 130.0)
    vectors = rng.normal(size=(2, VECTOR))
    one, same, noise, voice = (
        vocoder.wave(mel, f0, vectors[v], np.random.default_rng(seed))
        for seed, v in ((0, 0), (0, 0), (1, 0), (0, 1))
    )
    assert one.shape == (23 * HOP,)
    assert one.dtype == np.float32
    assert one.tobytes() == same.tobytes()
    assert not np.array_equal(one, noise)
    assert not np.array_equal(one, voice)


def test_the_joint_model_learns_against_discriminators_and_goes_on_after_a_kill(tmp_path):
    use_threads(1)
    table, files = make_speech(tmp_path)
    where = {"seed": 0, "fingerprint": "x"}
    training = joint_nsf.Training(table, JOINT, 0, 1, files)
    curve = fit(training, epochs=3, checkpoint=tmp_path / "a.pt", **where)
    assert curve["valid_loss"].is_monotonic_decreasing
    assert {"real_score", "made_score"} <= set(curve)
    fit(
        joint_nsf.Training(table, JOINT, 0, 1, files),
        epochs=1,
        checkpoint=tmp_path / "b.pt",
        **where,
    )
    rest = joint_nsf.Training(table, JOINT, 0, 1, files)
    fit(rest, epochs=3, checkpoint=tmp_path / "b.pt", **where)
    weights, again = training.model()["weights"], rest.model()["weights"]
    assert all(torch.equal(weights[key], again[key]) for key in weights)
    # Nothing of the discriminators is kept.
    assert not any("discriminator" in key for key in weights)
    voice = joint_nsf.Synthesizer(training.model(), JOINT)
    content = np.eye(3)[np.arange(11) % 3]
    wave = voice.wave(content, np.full(11, 120.0), np.zeros(VECTOR), np.random.default_rng(0))
    assert wave.shape == (11 * HOP,)


def test_discriminators_have_the_published_layers():
    judges = Discriminators(1.0)
    period = sum(
        weights.numel()
        for name, weights in judges.periods[0].named_parameters()
        if "original1" in name
    )
    sizes = [1, 32, 128, 512, 1024, 1024]
    assert period == 5 * sum(a * b for a, b in pairwise(sizes)) + 3 * 1024
    layer = judges.scales[1].layers[3]
    assert (layer.in_channels, layer.out_channels, layer.groups, layer.stride) == (
        256,
        512,
        16,
        (4,),
    )
    assert len(judges.periods) == 5
    assert len(judges.scales) == 3


def test_discriminators_learn_to_tell_recordings_from_noise():
    torch.manual_seed(0)
    judges = Discriminators(0.03)
    optimizer = torch.optim.Adam(judges.parameters(), lr=0.005)
    time = torch.arange(2000) / 16000
    for _ in range(30):
        real = torch.sin(2 * torch.pi * (200 + 50 * torch.rand(4, 1)) * time)
        judged = judges(real), judges(torch.randn(4, 2000))
        loss = discriminator_loss(*judged)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    real_score, made_score = (
        torch.cat([score.detach().flatten() for score, _ in side]).mean() for side in judged
    )
    assert real_score > made_score + 0.2
    assert float(matching_loss(judged[0], judged[0]).detach()) == 0


def test_distance_of_log_power_spectra_by_hand():
    """Twice the amplitude is 2 ln 2 in log power, at each of three resolutions."""
    wave = torch.randn(1, 8000, generator=torch.Generator().manual_seed(0))
    absolute = log_power_distance(2 * wave, wave, squared=False)
    squared = log_power_distance(2 * wave, wave, squared=True)
    assert float(absolute) == pytest.approx(3 * 2 * np.log(2), rel=1e-3)
    assert float(squared) == pytest.approx(3 * (2 * np.log(2)) ** 2, rel=1e-3)
