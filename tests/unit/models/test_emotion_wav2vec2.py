import pytest
import torch

from scripts.lib.emotions import Fold
from scripts.lib.manifest import read_manifests
from scripts.lib.models.emotion_wav2vec2 import (
    Recordings,
    Training,
    finished_model,
    pretrained_network,
    rebuilt,
)
from tests.factories import make_audio_manifest
from tests.unit.models.tiny_wav2vec2 import SETTINGS, save_as_speechbrain, tiny_encoder


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return str(tiny_encoder(tmp_path_factory.mktemp("encoder")))


@pytest.fixture
def recordings(tmp_path):
    manifest = make_audio_manifest(tmp_path, emotion=["neu", "sad"] * 4)
    return Recordings(read_manifests([manifest]), {})


def make_training(recordings, source, **settings):
    fold = Fold(train=[0, 1, 4, 5, 6], dev=[2, 3, 7], test=[])
    return Training(recordings, fold, {**SETTINGS, "model": source, **settings}, seed=0)


def weights_of(training):
    return {key: value.clone() for key, value in training.network.state_dict().items()}


def test_logits_are_those_of_speechbrain_s_own_modules(source, tmp_path):
    lobe = pytest.importorskip("speechbrain.integrations.huggingface.wav2vec2")
    pooling = pytest.importorskip("speechbrain.nnet.pooling")
    network = pretrained_network(source).eval()
    other = lobe.Wav2Vec2(source, str(tmp_path), output_norm=True, freeze=True).eval()
    samples = torch.randn(1, 16000, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        encoded = other(samples)
        # SpeechBrain adds noise of up to 1e-4 to a mean.
        pooled = pooling.StatisticsPooling(return_std=False)(encoded).squeeze(1)
        torch.testing.assert_close(pooled, encoded.mean(dim=1), atol=1e-4, rtol=0)
        expected = network.head(encoded.mean(dim=1))
        torch.testing.assert_close(network(samples), expected, atol=1e-6, rtol=1e-5)


def test_a_network_is_rebuilt_from_its_description_alone(source):
    network = pretrained_network(source).eval()
    samples = torch.randn(1, 8000)
    with torch.inference_mode():
        again = rebuilt(network.description()).eval()(samples)
        assert torch.equal(network(samples), again)


def test_interrupted_training_gives_the_same_weights(source, recordings):
    whole = make_training(recordings, source)
    first = make_training(recordings, source)
    for epoch in (1, 2):
        torch.manual_seed(epoch)
        whole.run_epoch(epoch)
    torch.manual_seed(1)
    first.run_epoch(1)
    second = make_training(recordings, source)
    second.load_state_dict(first.state_dict())
    torch.manual_seed(2)
    second.run_epoch(2)
    for key, value in weights_of(whole).items():
        assert torch.equal(value, second.network.state_dict()[key]), key
    assert [g["lr"] for g in whole.optimizer.param_groups] == [
        g["lr"] for g in second.optimizer.param_groups
    ]


def test_first_layers_stay_and_the_others_move(source, recordings):
    training = make_training(recordings, source)
    before = weights_of(training)
    training.run_epoch(1)
    moved = {k for k, v in weights_of(training).items() if not torch.equal(v, before[k])}
    assert "head.weight" in moved
    assert any(key.startswith("encoder.encoder.layers") for key in moved)
    assert not any(key.startswith("encoder.feature_extractor") for key in moved)


def test_the_best_epoch_is_kept_and_rates_fall_without_progress(source, recordings, monkeypatch):
    # Wrong answers of three: 1, 0, 2 and 2.
    answers = iter([[0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]])
    training = make_training(recordings, source)
    monkeypatch.setattr("scripts.lib.models.emotion_wav2vec2._predict", lambda *_: next(answers))
    figures, stages = [], []
    for epoch in range(1, 5):
        figures.append(training.run_epoch(epoch))
        stages.append(weights_of(training))
    assert [row["best_epoch"] for row in figures] == [1, 2, 2, 2]
    assert torch.equal(training.model()["weights"]["head.weight"], stages[1]["head.weight"])
    # An error of 0 leaves no room for progress; then 2 after 2 is none either.
    rates = [group["lr"] for group in training.optimizer.param_groups]
    assert rates == pytest.approx([1e-2 * 0.9**2, 1e-3 * 0.9**2])


def test_finished_folds_of_speechbrain_are_read_in_our_order(source, tmp_path):
    torch.manual_seed(1)
    model = pretrained_network(source).description()
    save_as_speechbrain(tmp_path / "fold_3", model)
    config = {"model": source, "checkpoints": str(tmp_path / "fold_{fold}")}
    taken = finished_model(config, 3)
    for key, value in model["weights"].items():
        assert torch.equal(value, taken["weights"][key]), key


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "label_encoder.txt").unlink(), "lacks label_encoder.txt"),
        (lambda folder: next(folder.glob("*/model.ckpt")).unlink(), "lacks model.ckpt"),
        (lambda folder: next(folder.glob("*/wav2vec2.ckpt")).unlink(), "neither it nor a folder"),
        (
            lambda folder: (folder / "label_encoder.txt").write_text("'neu' => 0\n"),
            "expected numbers for neu, sad, ang, hap",
        ),
        (
            lambda folder: torch.save(
                {"0.w.weight": torch.zeros(4, 5)}, next(folder.glob("*/model.ckpt"))
            ),
            "not of the architecture",
        ),
    ],
)
def test_unusable_folds_are_named(source, tmp_path, spoil, message):
    save_as_speechbrain(tmp_path / "fold_1", pretrained_network(source).description())
    spoil(tmp_path / "fold_1")
    config = {"model": source, "checkpoints": str(tmp_path / "fold_{fold}")}
    with pytest.raises(ValueError, match=message):
        finished_model(config, 1)


def test_an_encoder_that_is_nowhere_is_named(tmp_path):
    with pytest.raises(ValueError, match="neither a directory in the Hugging Face format"):
        pretrained_network(str(tmp_path / "gone"))


def test_a_fold_needs_development_speakers(source, recordings):
    with pytest.raises(ValueError, match="no development utterances"):
        Training(recordings, Fold([0, 1], [], [2]), {**SETTINGS, "model": source}, seed=0)
