import numpy as np
import pytest
import torch

from scripts.lib.audio import read_audio
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.manifest import read_manifests
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
