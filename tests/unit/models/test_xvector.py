import numpy as np
import pytest
import torch

from scripts.lib.audio import read_audio
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.manifest import read_manifests
from scripts.lib.models.chunks import Chunks
from scripts.lib.models.mfcc import voiced_cepstra
from scripts.lib.models.training import fit, save_state, use_threads
from scripts.lib.models.xvector import Embedder, Extractor, Training
from tests.factories import make_audio_manifest, make_tone
from tests.unit.models.test_mfcc import PLAN

TINY = {
    "backend": "xvector",
    "training_data": ["any"],
    "features": {**PLAN, "dither": 1.0},
    "layers": [
        {"width": 8, "frames": 5, "spacing": 1},
        {"width": 8, "frames": 3, "spacing": 2},
        {"width": 12, "frames": 1, "spacing": 1},
    ],
    "embedding": 6,
    "segment": 8,
    "min_frames": 25,
    "max_frames": 10000,
    "chunk_frames": {"minimum": 30, "maximum": 50},
    "balance": "speakers",
    "min_utterances": 2,
    "batch": 4,
    "epochs": 2,
    "validation": 0.2,
    "optimizer": "adam",
    "learning_rate": {"first": 0.01, "last": 0.001},
    "momentum": 0.5,
    "max_change": 2,
    "weight_decay": 0,
}


@pytest.fixture(autouse=True)
def one_thread():
    use_threads(1)


@pytest.fixture
def utterances(tmp_path):
    return read_manifests([make_audio_manifest(tmp_path)])


@pytest.fixture
def embedder(tmp_path):
    torch.manual_seed(0)
    model = {"config": TINY, "weights": Extractor(TINY).state_dict()}
    save_state(tmp_path / "model.pt", model)
    return Embedder(tmp_path / "model.pt")


def plan():
    return Catalogue("config", load_yaml("config/config.yaml"))["asv"]["xvector_vpc2020"]


def test_network_of_the_plan_has_its_sizes():
    extractor = Extractor(plan())
    affine = [30 * 5 * 512, 512 * 3 * 512, 512 * 3 * 512, 512 * 512, 512 * 1500, 3000 * 512]
    biases = 4 * 512 + 1500 + 512
    assert sum(p.numel() for p in extractor.parameters()) == sum(affine) + biases
    # Contexts of 2 + 2 + 3 frames to each side.
    assert extractor.context == 15
    frames = extractor.layers(torch.zeros(1, 30, 40))
    assert tuple(frames.shape) == (1, 1500, 40 - 14)


def test_settings_of_the_plan():
    entry = plan()
    assert entry["scoring"] == {"method": "plda", "lda": 200, "iterations": 10, "min_utterances": 1}
    assert entry["features"] == {**PLAN, "dither": 1}
    assert (entry["batch"], entry["momentum"], entry["max_change"]) == (64, 0.5, 2)
    assert entry["chunk_frames"] == {"minimum": 200, "maximum": 400}
    assert (entry["min_utterances"], entry["min_frames"], entry["max_frames"]) == (8, 25, 10000)


def test_embedding_is_the_affine_output_of_pooled_mean_and_deviation(embedder):
    samples = make_tone(1.0)
    frames = torch.from_numpy(voiced_cepstra(samples, TINY["features"]).T[None].copy())
    with torch.inference_mode():
        hidden = embedder.extractor.layers(frames)[0].numpy()
    pooled = np.concatenate([hidden.mean(axis=1), hidden.std(axis=1)])
    affine = embedder.extractor.affine
    expected = affine.weight.detach().numpy() @ pooled + affine.bias.detach().numpy()
    found = embedder.embed(samples)
    assert found == pytest.approx(expected, abs=1e-4)
    assert (found < 0).any(), "values after a ReLU are never negative"


def test_short_recordings_are_filled_with_their_edges(embedder):
    samples = make_tone(0.12)
    frames = voiced_cepstra(samples, TINY["features"])
    assert len(frames) == 12
    filled = np.concatenate([frames[:1].repeat(6, 0), frames, frames[-1:].repeat(7, 0)])
    with torch.inference_mode():
        expected = embedder.extractor(torch.from_numpy(filled.T[None].copy()))[0].numpy()
    assert embedder.embed(samples) == pytest.approx(expected, abs=1e-6)


def test_long_recordings_are_averaged_by_length(embedder):
    samples = make_tone(1.0)
    frames = voiced_cepstra(samples, TINY["features"])
    embedder.config = {**embedder.config, "max_frames": 60}
    with torch.inference_mode():
        first, second = (
            embedder.extractor(torch.from_numpy(piece.T[None].copy()))[0].numpy()
            for piece in (frames[:60], frames[60:])
        )
    rest = len(frames) - 60
    expected = (60 * first + rest * second) / len(frames)
    assert embedder.embed(samples) == pytest.approx(expected, abs=1e-5)


def test_chunks_take_speakers_equally_often_and_leave_out_the_held_out(utterances):
    chunks = Chunks(utterances, {**TINY, "batch": 8}, seed=0, threads=1)
    counts = np.zeros(len(chunks.speakers), dtype=int)
    lengths = set()
    for number in range(1, 30):
        for batch in chunks.epoch(number):
            counts += np.bincount(batch.labels, minlength=len(counts))
            lengths.add(batch.chunks.shape[2])
            assert batch.chunks.shape[:2] == (8, 30)
    assert counts.max() - counts.min() <= 30
    assert (min(lengths), max(lengths)) == (30, 50)
    held_out = sum(len(batch.labels) for batch in chunks.validation())
    assert held_out == round(0.2 * len(utterances))


def test_chunks_may_follow_the_amount_of_speech(utterances):
    shares = utterances.assign(speaker=list("aaabbbbb"))
    config = {**TINY, "balance": "frames", "batch": 8, "validation": 0.01}
    chunks = Chunks(shares, config, seed=0, threads=1)
    drawn = np.concatenate([b.labels for number in range(40) for b in chunks.epoch(number)])
    # One of eight utterances is held out.
    assert 2 / 7 - 0.1 < np.mean(drawn == 0) < 3 / 7 + 0.1
    assert abs(np.mean(drawn == 0) - 0.5) > 0.04


def test_short_utterances_and_rare_speakers_are_left_out(utterances, caplog):
    with pytest.raises(ValueError, match=r"choose a smaller chunk_frames\.maximum or min_utter"):
        Chunks(utterances, {**TINY, "chunk_frames": {"minimum": 30, "maximum": 900}}, 0, 1)
    chunks = Chunks(utterances.assign(speaker=list("aaabbbbc")), TINY, seed=0, threads=1)
    assert chunks.speakers == ["a", "b"]
    assert "left out: speaker c with fewer than 2 utterances" in caplog.text


def test_layers_that_see_more_than_a_chunk_are_refused():
    with pytest.raises(ValueError, match="min_frames is 5, but the layers see 9 frames"):
        Extractor({**TINY, "min_frames": 5})


def train(utterances, folder, name, stop=None, **changes):
    config = {**TINY, **changes}
    for epochs in (stop, config["epochs"]) if stop else (config["epochs"],):
        training = Training(utterances, config, 0, threads=1)
        checkpoint = folder / f"{name}.pt"
        curve = fit(training, epochs=epochs, seed=0, checkpoint=checkpoint, fingerprint="x")
    save_state(folder / f"{name}_model.pt", training.model())
    return curve, (folder / f"{name}_model.pt").read_bytes()


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_same_seed_same_bytes_also_when_interrupted(utterances, tmp_path, optimizer):
    one = train(utterances, tmp_path, "one", epochs=3, optimizer=optimizer)
    other = train(utterances, tmp_path, "other", stop=1, epochs=3, optimizer=optimizer)
    assert one[1] == other[1]
    assert one[0].equals(other[0])


def test_tones_are_learnt_and_embedded_apart(utterances, tmp_path):
    curve, _ = train(utterances, tmp_path, "x", epochs=12)
    assert curve["train_loss"].iloc[-1] < 0.7 * curve["train_loss"].iloc[0]
    assert curve["learning_rate"].iloc[-1] == pytest.approx(0.001)
    embedder = Embedder(tmp_path / "x_model.pt")
    vector = embedder.embed(read_audio(utterances["path"].iloc[0]))
    assert vector.shape == (6,)
    assert vector.dtype == np.float32


def test_no_step_of_gradient_descent_is_longer_than_allowed(utterances):
    rate = {"first": 50.0, "last": 50.0}
    config = {**TINY, "optimizer": "sgd", "learning_rate": rate, "max_change": 0.1}
    training = Training(utterances, config, 0, threads=1)
    before = torch.nn.utils.parameters_to_vector(training.parameters).detach()
    for chunks, labels in training.chunks.epoch(1):
        training._train_batch(chunks, labels, 50.0)
        after = torch.nn.utils.parameters_to_vector(training.parameters).detach()
        assert float((after - before).norm()) <= 0.1 + 1e-5
        before = after.clone()
