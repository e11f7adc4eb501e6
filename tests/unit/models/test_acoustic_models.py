import numpy as np
import pytest
import torch

from scripts.lib.feature_store import read_features, write_features
from scripts.lib.models import autoregressive, film
from scripts.lib.models.training import fit, use_threads
from tests.unit.models.tiny_speech import VECTOR, make_speech

TRAINING = {
    "learning_rate": 0.004,
    "warmup": 10,
    "last_rate": 0.02,
    "weight_decay": 0.01,
    "gradient_norm": 1.0,
}
ENTRY = {
    "backend": "film",
    "content": "c",
    "pitch": "p",
    "vectors": "v",
    "updates": 150,
    "report_updates": 75,
    "validation": 0.1,
    "batch": 6,
    "crop_frames": 50,
    "channels": 48,
    "kernel": 5,
    "dilations": [1, 2],
    "dropout": 0.0,
    "training": TRAINING,
}
RECURRENT = {
    **{key: ENTRY[key] for key in ENTRY if key not in ("channels", "kernel", "dilations")},
    "backend": "autoregressive",
    "width": 48,
    "bidirectional": 32,
    "recurrent": 48,
    "feedback_scale": 0.1,
}
BACKENDS = {"film": (film, ENTRY), "autoregressive": (autoregressive, RECURRENT)}


def train(folder, backend, config, seed=3, **speech):
    use_threads(1)
    training = backend.Training(*make_speech(folder, **speech)[:1], config, seed, 1, files(folder))
    epochs = -(-config["updates"] // config["report_updates"])
    curve = fit(training, epochs=epochs, seed=seed, checkpoint=folder / "c.pt", fingerprint="x")
    return training, curve


def files(folder):
    return {kind: [str(folder / f"{kind}.npz")] for kind in ("pitch", "content", "vectors")}


@pytest.mark.parametrize("name", BACKENDS)
def test_learns_vowels_and_the_vector_decides_the_voice(tmp_path, name):
    backend, config = BACKENDS[name]
    training, curve = train(tmp_path, backend, config)
    last = curve.iloc[-1]
    # Predicting the mean everywhere has an error of about 0.8 on normalised data.
    assert last["valid_l1"] < 0.5
    assert last["valid_l1_wrong_vector"] >= 1.3 * last["valid_l1"]
    assert curve["updates"].tolist() == [75, 150]
    synthesizer = backend.Synthesizer(training.model(), config)
    crop, _ = training.data.validation(1, 400, whole=True)
    spoken = synthesizer.mel(*(x[0].numpy() for x in (crop.content, crop.f0, crop.vectors)))
    assert spoken.shape == crop.mel[0].shape
    assert spoken.dtype == np.float32
    spread = training.network.normalizer.mel_spread.numpy()
    assert np.abs((spoken - crop.mel[0].numpy()) / spread).mean() < 0.6


@pytest.mark.parametrize("name", BACKENDS)
def test_same_seed_same_weights_also_after_a_kill(tmp_path, name):
    backend, config = BACKENDS[name]
    config = {**config, "updates": 4, "report_updates": 2}
    states = []
    for folder, seed in (("one", 3), ("two", 3), ("three", 4)):
        (tmp_path / folder).mkdir()
        states.append(train(tmp_path / folder, backend, config, seed)[0].model()["weights"])
    assert all(torch.equal(states[0][key], states[1][key]) for key in states[0])
    assert not all(torch.equal(states[0][key], states[2][key]) for key in states[0])
    # The checkpoint of the first two updates, taken up by a new process.
    (tmp_path / "killed").mkdir()
    half = backend.Training(
        *make_speech(tmp_path / "killed")[:1], config, 3, 1, files(tmp_path / "killed")
    )
    where = {"seed": 3, "checkpoint": tmp_path / "killed" / "c.pt", "fingerprint": "x"}
    fit(half, epochs=1, **where)
    rest = backend.Training(
        *make_speech(tmp_path / "killed")[:1], config, 3, 1, files(tmp_path / "killed")
    )
    fit(rest, epochs=2, **where)
    again = rest.model()["weights"]
    assert all(torch.equal(states[0][key], again[key]) for key in again)


@pytest.mark.parametrize("name", BACKENDS)
def test_frames_beyond_an_utterance_change_neither_loss_nor_gradient(tmp_path, name):
    backend, config = BACKENDS[name]
    table, _ = make_speech(tmp_path)
    training = backend.Training(table, config, 0, 1, files(tmp_path))
    training.network.eval()
    entries = training.data.train[:3]
    shortest = int(training.data.lengths[entries].min())
    results = []
    for frames in (shortest, shortest + 40):
        crop = training.data.crops(entries, training.data.lengths[entries] - shortest, frames)
        assert int(crop.inside.sum()) == 3 * shortest
        # Whatever stands there, it must not matter.
        for part in (crop.mel, crop.content):
            part[~crop.inside] = 100.0
        training.optimizer.zero_grad()
        loss = training.loss(crop)
        loss.backward()
        results.append((float(loss.detach()), training.network.output.weight.grad.clone()))
    assert results[0][0] == pytest.approx(results[1][0], rel=1e-5)
    assert torch.allclose(results[0][1], results[1][1], atol=1e-6)


def test_batch_statistics_leave_out_frames_beyond_an_utterance():
    torch.manual_seed(0)
    block = film.Block(4, 3, 1, VECTOR, 0.0).train()
    hidden, vectors = torch.randn(2, 4, 9), torch.randn(2, VECTOR)
    inside = torch.ones(2, 9, dtype=torch.bool)
    inside[1, 5:] = False
    block(hidden * inside[:, None], vectors, inside)
    frames = block.convolution(hidden * inside[:, None]).transpose(1, 2)[inside]
    assert torch.allclose(block.norm.running_mean, 0.1 * frames.mean(dim=0), atol=1e-6)


def test_a_model_without_pitch_ignores_it(tmp_path):
    config = {key: value for key, value in ENTRY.items() if key != "pitch"} | {"updates": 2}
    table, found = make_speech(tmp_path)
    training = film.Training(table, config, 0, 1, {k: found[k] for k in ("content", "vectors")})
    synthesizer = film.Synthesizer(training.model(), config)
    rng = np.random.default_rng(0)
    content, vector = rng.normal(size=(20, 3)), rng.normal(size=VECTOR)
    low, high = (synthesizer.mel(content, np.full(20, hz), vector) for hz in (80.0, 300.0))
    assert np.array_equal(low, high)


def test_lengths_that_differ_are_an_error_that_names_the_utterance(tmp_path):
    table, found = make_speech(tmp_path)
    pitch = dict(read_features(found["pitch"][0]))
    pitch["s1-u2"] = pitch["s1-u2"][:-1]
    write_features(tmp_path / "pitch.npz", pitch.items())
    with pytest.raises(
        ValueError, match=r"utterance s1-u2, .*74 frames of speech, but 73 of pitch"
    ):
        film.Training(table, ENTRY, 0, 1, found)


def test_teacher_forcing_gives_the_frame_before_and_zeros_first():
    torch.manual_seed(0)
    network = autoregressive.Autoregressive(RECURRENT, {"content": 3, "vector": VECTOR}).eval()
    encoded, target = torch.randn(1, 6, 32), torch.randn(1, 6, 80)
    coarse, _ = network.teach(encoded, target)
    # The last frame has nobody to follow it, so it cannot matter, not even to the first.
    changed = target.clone()
    changed[:, -1] = 50.0
    assert torch.equal(network.teach(encoded, changed)[0], coarse)
    changed = target.clone()
    changed[:, 2] = 50.0
    after = network.teach(encoded, changed)[0]
    assert torch.equal(after[:, :3], coarse[:, :3])
    assert not torch.allclose(after[:, 3], coarse[:, 3])


def test_speaking_alone_equals_teaching_with_what_was_spoken():
    torch.manual_seed(0)
    network = autoregressive.Autoregressive(RECURRENT, {"content": 3, "vector": VECTOR}).eval()
    inputs = torch.randn(2, 12, 3), 100 + 50 * torch.rand(2, 12), torch.randn(2, VECTOR)
    inside = torch.ones(2, 12, dtype=torch.bool)
    with torch.no_grad():
        spoken = network.predict(*inputs, inside)
        _, refined = network.teach(network.encode(*inputs, inside), spoken)
    assert torch.allclose(spoken, refined, atol=1e-5)


def test_the_gate_is_noisy_in_training_and_at_its_mean_in_use():
    torch.manual_seed(0)
    gate, frames = autoregressive.NoisyGate(), torch.full((200_000,), 0.5)
    noisy = gate.train()(frames) / frames.tanh()
    assert float(noisy.min()) == pytest.approx(1 / (1 + np.exp(1)), abs=1e-3)
    assert float(noisy.max()) == pytest.approx(1 / (1 + np.exp(-1)), abs=1e-3)
    assert torch.allclose(gate.eval()(frames), noisy.mean() * frames.tanh(), atol=1e-3)
