import numpy as np
import pytest
import torch

from scripts.lib.frames import HOP, log_mel
from scripts.lib.models import film, source_filter
from scripts.lib.models.training import fit, save_state, use_threads
from tests.unit.models.test_acoustic_models import ENTRY as ACOUSTIC
from tests.unit.models.test_acoustic_models import TRAINING
from tests.unit.models.tiny_speech import VECTOR, make_speech

ENTRY = {
    "backend": "source_filter",
    "pitch": "p",
    "updates": 60,
    "report_updates": 30,
    "validation": 0.1,
    "batch": 6,
    "crop_frames": 50,
    "channels": 32,
    "kernel": 5,
    "layers": 2,
    "training": {**TRAINING, "weight_decay": 0.0},
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    use_threads(1)
    folder = tmp_path_factory.mktemp("speech")
    table, files = make_speech(folder)
    training = source_filter.Training(table, ENTRY, 0, 1, {"pitch": files["pitch"]})
    with torch.no_grad():
        before = training.validate()["valid_loss"]
    start = source_filter.Vocoder(training.model(), ENTRY)
    curve = fit(training, epochs=2, seed=0, checkpoint=folder / "c.pt", fingerprint="x")
    return training, curve, before, start


def example(training):
    crop, _ = training.data.validation(1, 400, whole=True)
    return crop.mel[0].numpy(), crop.f0[0].numpy(), crop.samples[0].numpy()


def test_training_starts_at_the_analytic_vocoder(trained):
    training, _, _, start = trained
    mel, f0, _ = example(training)
    analytic = source_filter.Vocoder(None, ENTRY)
    rngs = np.random.default_rng(1), np.random.default_rng(1)
    assert np.array_equal(start.wave(mel, f0, None, rngs[0]), analytic.wave(mel, f0, None, rngs[1]))


def test_training_lowers_the_spectral_loss(trained):
    _, curve, before, _ = trained
    assert curve["valid_loss"].iloc[-1] < 0.9 * before
    assert curve["train_loss"].iloc[-1] < curve["train_loss"].iloc[0]


@pytest.mark.parametrize("frames", [1, 2, 3, 17, 120])
def test_a_frame_gives_160_samples(trained, frames):
    vocoder = source_filter.Vocoder(trained[0].model(), ENTRY)
    mel, f0 = np.full((frames, 80), -3.0), np.full(frames, 120.0)
    wave = vocoder.wave(mel, f0, None, np.random.default_rng(0))
    assert wave.shape == (HOP * frames,)
    assert wave.dtype == np.float32
    assert np.isfinite(wave).all()


def test_the_analytic_vocoder_returns_the_spectrum_it_was_given(trained):
    """Unvoiced, on average over frames: noise has random amplitudes."""
    shape = np.interp(np.arange(80), [0, 20, 40, 79], [-2.0, 0.0, -3.0, -4.0])
    mel = np.tile(shape, (600, 1))
    vocoder = source_filter.Vocoder(None, ENTRY)
    wave = vocoder.wave(mel, np.zeros(600), None, np.random.default_rng(0))
    power = np.exp(2 * log_mel(wave)[10:-10].astype(float)).mean(axis=0)
    assert 0.5 * np.log(power) == pytest.approx(shape, abs=0.15)


def test_voiced_speech_has_the_pitch_and_level_that_it_was_given():
    mel = np.full((100, 80), -1.0)
    vocoder = source_filter.Vocoder(None, ENTRY)
    wave = vocoder.wave(mel, np.full(100, 200.0), None, np.random.default_rng(0))
    power = np.abs(np.fft.rfft(wave)) ** 2
    lines = power[200:2001:200].sum()
    assert lines / power[:2050].sum() > 0.9
    got = np.exp(2 * log_mel(wave)[10:-10].astype(float)).mean()
    assert 0.5 * np.log(got) == pytest.approx(-1.0, abs=0.15)


def test_filters_have_minimum_phase():
    network = source_filter.SourceFilter(ENTRY, {"frame": 80, "vector": 0})
    # As smooth as spectra of speech are.
    few = np.random.default_rng(0).normal(0, 1, (3, 12))
    places = np.linspace(0, 11, 80)
    gains = torch.tensor(np.array([np.interp(places, np.arange(12), row) for row in few]))[None]
    filters = network._filters(gains.float()).detach().numpy().astype(complex)[0]
    for response in filters:
        impulse = np.fft.irfft(response)
        # It rings no longer than a frame leaves room for.
        assert np.sum(impulse[:385] ** 2) > 0.999 * np.sum(impulse**2)
        # The geometric mean of a minimum-phase response is its first sample.
        assert np.log(np.abs(response)).mean() == pytest.approx(np.log(impulse[0]), abs=1e-2)


def test_same_noise_same_bytes(trained):
    training, *_ = trained
    mel, f0, _ = example(training)
    vocoder = source_filter.Vocoder(training.model(), ENTRY)
    one, same, other = (
        vocoder.wave(mel, f0, None, np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    assert one.tobytes() == same.tobytes() != other.tobytes()


def test_a_vocoder_with_vectors_hears_them_and_one_on_predicted_spectra_trains(tmp_path):
    use_threads(1)
    table, files = make_speech(tmp_path)
    acoustic = {**ACOUSTIC, "updates": 2, "report_updates": 2}
    training = film.Training(table, acoustic, 0, 1, files)
    fit(training, epochs=1, seed=0, checkpoint=tmp_path / "a.pt", fingerprint="x")
    save_state(tmp_path / "model.pt", training.model())
    config = {**ENTRY, "vectors": "v", "updates": 2, "report_updates": 2}
    files["acoustic"] = [str(tmp_path / "model.pt")]
    predicted = source_filter.Training(table, config, 0, 1, files)
    fit(predicted, epochs=1, seed=0, checkpoint=tmp_path / "b.pt", fingerprint="x")
    crop, _ = predicted.data.validation(1, 400, whole=True)
    synthesizer = film.Synthesizer(training.model(), acoustic)
    mel = synthesizer.mel(*(x[0].numpy() for x in (crop.content, crop.f0, crop.vectors)))
    assert np.allclose(crop.mel[0].numpy(), mel, atol=1e-4)
    vocoder = source_filter.Vocoder(predicted.model(), config)
    waves = [
        vocoder.wave(mel, crop.f0[0].numpy(), vector, np.random.default_rng(0))
        for vector in (np.zeros(VECTOR), np.ones(VECTOR))
    ]
    assert not np.array_equal(*waves)


def test_utterances_shorter_than_a_crop_are_refused_by_name_of_the_setting(tmp_path):
    table, files = make_speech(tmp_path)
    training = source_filter.Training(table, {**ENTRY, "crop_frames": 500}, 0, 1, files)
    with pytest.raises(ValueError, match=r"no training utterance has 500 frames .*crop_frames"):
        training.batch(np.random.default_rng(0))
