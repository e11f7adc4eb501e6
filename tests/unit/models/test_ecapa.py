import numpy as np
import pytest
import torch

from scripts.lib.audio import read_audio
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.manifest import read_manifests
from scripts.lib.models.crops import VALIDATION, Crops
from scripts.lib.models.ecapa import Embedder, Extractor, Training, triangular_rate
from scripts.lib.models.training import fit, save_state, use_threads
from tests.factories import make_audio_manifest, make_tone

TINY = {
    "backend": "ecapa",
    "training_data": ["any"],
    "channels": 16,
    "attention": 8,
    "embedding": 12,
    "mel_bins": 24,
    "margin": 0.2,
    "scale": 30,
    "crop_s": 0.5,
    "quiet": 0.0005,
    "batch": 8,
    "epochs": 2,
    "validation": 0.2,
    "weight_decay": 2e-6,
    "speeds": [1.0],
    "augmentation": {"reverb": 0, "filter": 0, "noise": 0, "gain_db": 0},
    "masks": {"time_masks": 0, "time_frames": 0, "band_masks": 0, "band_bins": 0},
    "schedule": {"base": 1e-8, "maximum": 0.01, "step_size": 5},
}


@pytest.fixture(autouse=True)
def one_thread():
    use_threads(1)


@pytest.fixture
def utterances(tmp_path):
    return read_manifests([make_audio_manifest(tmp_path)])


def train(utterances, folder, seed=0, **changes):
    training = Training(utterances, {**TINY, **changes}, seed, threads=1)
    fit(training, epochs=2, seed=seed, checkpoint=folder / "c.pt", fingerprint="x")
    save_state(folder / "model.pt", training.model())
    return training


def test_network_of_vpc2024_has_the_published_size():
    entry = Catalogue("config", load_yaml("config/config.yaml"))["asv"]["ecapa_vpc2024"]
    network = Extractor(entry).network
    assert sum(p.numel() for p in network.parameters()) == 6_194_048


def test_learning_rate_of_vpc2024_rises_to_two_thousandths():
    schedule = {"base": 1e-8, "maximum": 0.01, "step_size": 65_000}
    assert triangular_rate(1, **schedule) == pytest.approx(1.64e-7, rel=0.01)
    assert triangular_rate(13_500, **schedule) == pytest.approx(2.08e-3, rel=0.01)


def test_a_schedule_in_epochs_ends_at_its_foot(utterances, tmp_path):
    schedule = {"base": 1e-8, "maximum": 0.01, "step_epochs": 1}
    training = Training(utterances, {**TINY, "schedule": schedule}, 0, 1)
    curve = fit(training, epochs=2, seed=0, checkpoint=tmp_path / "c.pt", fingerprint="x")
    assert curve["learning_rate"].iloc[0] == pytest.approx(0.01)
    assert curve["learning_rate"].iloc[1] == pytest.approx(1e-8, abs=1e-6)


def test_same_seed_same_bytes_other_seed_other_model(utterances, tmp_path):
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        (tmp_path / name).mkdir()
        train(utterances, tmp_path / name, seed)
    models = [(tmp_path / name / "model.pt").read_bytes() for name in "abc"]
    assert models[0] == models[1] != models[2]


def test_training_lowers_the_loss(utterances, tmp_path):
    training = Training(
        utterances, {**TINY, "schedule": {**TINY["schedule"], "step_size": 40}}, 0, 1
    )
    curve = fit(training, epochs=12, seed=0, checkpoint=tmp_path / "c.pt", fingerprint="x")
    assert curve["train_loss"].iloc[-1] < 0.5 * curve["train_loss"].iloc[0]
    assert {"valid_loss", "valid_accuracy", "learning_rate"} <= set(curve.columns)


def test_embeddings_ignore_level_and_silence_at_the_ends(utterances, tmp_path):
    train(utterances, tmp_path)
    embedder = Embedder(tmp_path / "model.pt")
    tone = make_tone()
    plain = embedder.embed(tone)
    silence = np.zeros(1600, dtype=np.float32)
    framed = embedder.embed(np.concatenate([silence, 0.5 * tone, silence]))
    np.testing.assert_allclose(framed, plain, atol=1e-4)
    assert plain.shape == (12,)


def test_threads_move_no_score_by_more_than_1e_4(utterances, tmp_path):
    train(utterances, tmp_path)
    embedder = Embedder(tmp_path / "model.pt")
    vectors = []
    for threads in (1, 2):
        torch.set_num_threads(threads)
        vectors.append([embedder.embed(read_audio(path)) for path in utterances["path"]])
    one, two = (np.array(v) / np.linalg.norm(v, axis=1, keepdims=True) for v in vectors)
    np.testing.assert_allclose(one @ one.T, two @ two.T, atol=1e-4)


def test_silence_and_short_speakers_are_errors(utterances, tmp_path):
    train(utterances, tmp_path)
    with pytest.raises(ValueError, match="nothing but zeros"):
        Embedder(tmp_path / "model.pt").embed(np.zeros(1600, dtype=np.float32))
    with pytest.raises(ValueError, match=r"speakers f1, m1 without a training utterance of 5 s"):
        Training(utterances, {**TINY, "crop_s": 5}, 0, 1)


SPOILED = {
    "reverb": 1.0,
    "rt60_s": [0.1, 0.3],
    "filter": 1.0,
    "filter_db": 6,
    "noise": 1.0,
    "snr_db": [10, 20],
    "gain_db": 6,
}
MASKS = {"time_masks": 1, "time_frames": 5, "band_masks": 1, "band_bins": 4}


def test_a_speaker_at_another_speed_is_another_speaker(utterances):
    training = Training(utterances, {**TINY, "speeds": [0.8, 1.0]}, 0, 1)
    assert training.speakers == ["f1", "f1 at 0.8", "m1", "m1 at 0.8"]
    crops = training.train_crops
    # 1.2 s hold two crops of half a second; slowed down to 1.5 s, three.
    counts = crops.groupby(["utterance", "speed"]).size().unstack()
    assert set(counts[1.0]) == {2}
    assert set(counts[0.8]) == {3}
    slow = training._batches(crops[crops["speed"] == 0.8], "epoch 1")
    assert next(iter(slow))[0].shape[1] == 8000


def test_slow_crops_sound_lower(utterances):
    config = {**TINY, "speeds": [0.8, 1.0]}
    crops = Training(utterances, config, 0, 1).train_crops
    pitch = {}
    for speed, own in crops.groupby("speed"):
        dataset = Crops(own, dict.fromkeys(own["voice"], 0), config, 0, "epoch 1")
        spectrum = np.abs(np.fft.rfft(dataset[0][0]))
        pitch[speed] = np.argmax(spectrum) * 2
    assert pitch[0.8] == pytest.approx(0.8 * pitch[1.0], abs=4)


def test_augmentation_changes_training_but_not_validation(utterances):
    plain = Training(utterances, TINY, 0, 1)
    spoiled = Training(utterances, {**TINY, "augmentation": SPOILED, "masks": MASKS}, 0, 1)
    crops = plain.train_crops
    clean, noisy, again = (
        next(iter(task._batches(crops, "epoch 1"))) for task in (plain, spoiled, spoiled)
    )
    assert torch.equal(noisy[0], again[0])
    assert torch.equal(noisy[1], again[1])
    assert not torch.equal(clean[0], noisy[0])
    assert clean[1].min() == 1
    assert noisy[1].min() == 0
    valid = [next(iter(task._batches(crops, VALIDATION))) for task in (plain, spoiled)]
    assert torch.equal(valid[0][0], valid[1][0])
    assert torch.equal(valid[0][1], valid[1][1])


def test_masked_features_do_not_reach_the_network(utterances):
    extractor = Extractor(TINY).eval()
    waveforms = torch.from_numpy(make_tone(0.5))[None]
    nothing = extractor(waveforms, torch.zeros(1, 51, TINY["mel_bins"]))
    other = extractor(0.1 * waveforms.flip(1), torch.zeros(1, 51, TINY["mel_bins"]))
    assert torch.equal(nothing, other)


def test_fine_tuning_starts_from_the_given_extractor(utterances):
    first, second = (Training(utterances, TINY, seed, 1) for seed in (0, 1))
    second.start_from(first.model())
    for one, other in zip(first.extractor.parameters(), second.extractor.parameters(), strict=True):
        assert torch.equal(one, other)
    assert not torch.equal(first.classifier.weight, second.classifier.weight)


def test_one_recording_of_a_speaker_is_enough(utterances):
    single = utterances[(utterances["speaker"] == "f1") | (utterances["utterance"] == "m1-u0")]
    for seed in range(5):
        training = Training(single, {**TINY, "validation": 0.6}, seed, 1)
        assert set(training.train_crops["voice"]) == {"f1", "m1"}


def test_a_recording_too_short_at_a_speed_costs_that_voice_only(utterances):
    # 1.2 s hold a crop of 0.7 s at every speed but 1.8, where it takes 1.26 s.
    training = Training(utterances, {**TINY, "crop_s": 0.7, "speeds": [1.0, 1.8]}, 0, 1)
    assert training.speakers == ["f1", "m1"]
