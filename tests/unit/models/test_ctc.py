import itertools

import numpy as np
import pytest
import torch

from scripts.lib.models.ctc import Recognizer, Training
from scripts.lib.models.training import fit, save_state
from tests.unit.models.spelled_tones import record, say, settings

TEXTS = ["AB C", "CA BB", "B AC", "ABC A", "C C", "BA"]


def greedy(recognizer: Recognizer, samples: np.ndarray) -> str:
    best = recognizer.log_posteriors(samples).argmax(axis=1)
    vocabulary = recognizer.units.vocabulary
    return "".join(vocabulary[unit] for unit, _ in itertools.groupby(best) if unit)


def train(training: Training, epochs: int, path) -> None:
    fit(training, epochs=epochs, seed=5, checkpoint=path, fingerprint="x")


def test_learns_two_utterances_by_heart(tmp_path):
    utterances = record(tmp_path, TEXTS[:2])
    config = settings(epochs=60)
    training = Training(utterances, config, seed=5, threads=1)
    train(training, 60, tmp_path / "checkpoint.pt")
    save_state(tmp_path / "model.pt", training.model())
    recognizer = Recognizer(tmp_path / "model.pt")
    assert greedy(recognizer, say(TEXTS[0], seed=0)) == TEXTS[0]
    assert greedy(recognizer, say(TEXTS[1], seed=1)) == TEXTS[1]


@pytest.mark.parametrize("kind", ["phones", "bpe"])
def test_learns_other_units_by_heart(tmp_path, kind):
    (tmp_path / "words.dic").write_text("AB a b\nC c\nCA c a\nBB b b\n")
    utterances = record(tmp_path, TEXTS[:2])
    units = {"kind": kind, "lexicon": str(tmp_path / "words.dic"), "pieces": 6}
    config = settings(epochs=60) | {"units": units}
    training = Training(utterances, config, seed=5, threads=1)
    train(training, 60, tmp_path / "checkpoint.pt")
    save_state(tmp_path / "model.pt", training.model())
    recognizer = Recognizer(tmp_path / "model.pt")
    heard = [greedy(recognizer, say(text, seed)) for seed, text in enumerate(TEXTS[:2])]
    expected = ["abc", "cabb"] if kind == "phones" else ["▁AB▁C", "▁CA▁BB"]
    assert heard == expected


def test_posteriors_are_distributions_at_the_low_frame_rate(tmp_path):
    training = Training(record(tmp_path, TEXTS), settings(epochs=1), seed=5, threads=1)
    save_state(tmp_path / "model.pt", training.model())
    scores = Recognizer(tmp_path / "model.pt").log_posteriors(say("ABC"))
    # 0.36 s are 36 frames, every third of which is scored: blank, space and three characters.
    assert scores.shape == (12, 5)
    assert np.exp(scores).sum(axis=1) == pytest.approx(np.ones(12), abs=1e-5)


@pytest.mark.parametrize("options", [{}, {"speeds": [0.9, 1.0], "batch_s": 1.0}])
def test_interrupted_training_ends_in_the_same_weights(tmp_path, options):
    masks = {"time_masks": 1, "time_frames": 10, "band_masks": 1, "band_bins": 4}
    config = settings(epochs=4, masks=masks, **options)
    config["network"]["dropout"] = 0.2
    utterances = record(tmp_path, TEXTS)
    whole = Training(utterances, config, seed=5, threads=1)
    train(whole, 4, tmp_path / "whole.pt")
    for epochs in (1, 2, 4):
        # A new object each time, as in a new process; other draws in between must not matter.
        torch.rand(7)
        parts = Training(utterances, config, seed=5, threads=1)
        train(parts, epochs, tmp_path / "parts.pt")
    for key, weight in whole.model()["weights"].items():
        assert torch.equal(weight, parts.model()["weights"][key]), key


def test_another_seed_gives_other_weights(tmp_path):
    utterances = record(tmp_path, TEXTS[:2])
    one, two = (Training(utterances, settings(1), seed, threads=1) for seed in (1, 2))
    assert not torch.equal(one.network.output.weight, two.network.output.weight)


def test_bottlenecks_are_semi_orthogonal_after_training(tmp_path):
    config = settings(epochs=5, constraint_steps=1, learning_rate=0.001)
    training = Training(record(tmp_path, TEXTS), config, seed=5, threads=1)

    @torch.no_grad()
    def spread() -> float:
        ratios = []
        for layer in training.network.trunk.layers:
            matrix = torch.cat(layer.factor.weight.chunk(2, dim=0), dim=1)
            values = torch.linalg.svdvals(matrix)
            ratios.append(float(values.max() / values.min()))
        return max(ratios)

    before = spread()
    train(training, 5, tmp_path / "checkpoint.pt")
    assert spread() < 1.05 < before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "utterance s1-1 without text"),
        ("A É", "utterance s1-1 has 'É' in its text"),
        ("a b", "utterance s1-1 has 'ab' in its text"),
        ("A  B", "utterance s1-1 with other white space"),
        ("ABCABCABCABCABC", "utterance s1-1: its text takes 15 steps of 3 frames"),
        ("AAAAAAA", "utterance s1-1: its text takes 13 steps of 3 frames"),
    ],
)
def test_a_text_that_cannot_be_learned_is_named(tmp_path, text, message):
    utterances = record(tmp_path, ["AB C", "ABC"])
    utterances.loc[utterances["utterance"] == "s1-1", "text"] = text
    with pytest.raises(ValueError, match=message):
        Training(utterances, settings(1), seed=5, threads=1)


def test_a_diverging_training_stops(tmp_path):
    training = Training(record(tmp_path, TEXTS), settings(1), seed=5, threads=1)
    with torch.no_grad():
        training.network.output.bias.fill_(float("nan"))
    with pytest.raises(ValueError, match="the loss is nan in epoch 1"):
        training.run_epoch(1)
