"""The end-to-end recogniser behind a content extractor: rates, neighbours, and that it learns."""

import numpy as np
import pytest
import torch
from torch import nn

from scripts.lib.frames import frame_count
from scripts.lib.models.attention_decoder import AttentionDecoder, LocationAttention
from scripts.lib.models.e2e_bottleneck import Extractor, Recogniser, Training
from scripts.lib.models.lstm import Lstm, inside
from scripts.lib.models.training import fit
from tests.unit.models.spelled_tones import record, say

DECODER = {"attention": 12, "filters": 2, "reach": 3, "layers": 1, "width": 16}
NETWORK = {
    "context": 1,
    "step": 3,
    "layers": 1,
    "width": 24,
    "content": 8,
    "dropout": 0.0,
    "decoder": DECODER,
}
TEXTS = ["AB C", "CA BB", "B AC", "ABC A", "C C", "BA"]


def settings(updates: int = 120, **changes) -> dict:
    """Return an entry of config/content that trains in seconds."""
    masks = {"time_masks": 1, "time_frames": 2, "band_masks": 1, "band_bins": 4}
    return {
        "backend": "e2e_bottleneck",
        "units": {"kind": "characters", "characters": "ABC"},
        "network": NETWORK,
        "validation_speakers": 1,
        "updates": updates,
        "report_updates": 30,
        "training": {
            "batch_s": 4.0,
            "ctc_weight": 0.5,
            "warp": 0.05,
            "masks": masks,
            "masks_from": 0.5,
            "learning_rate": 0.01,
            "warmup": 5,
            "last_rate": 0.02,
            "weight_decay": 1e-3,
            "gradient_norm": 5.0,
        },
        **changes,
    }


def trained(folder, epochs: int, *, stop: int | None = None) -> Training:
    training = Training(record(folder, TEXTS), settings(), seed=3, threads=1)
    checkpoint = folder / "checkpoint.pt"
    if stop:
        fit(training, epochs=stop, seed=3, checkpoint=checkpoint, fingerprint="x")
        training = Training(record(folder, TEXTS), settings(), seed=3, threads=1)
    fit(training, epochs=epochs, seed=3, checkpoint=checkpoint, fingerprint="x")
    return training


def make_network(**changes) -> Recogniser:
    """A network whose running statistics are not those of its first day."""
    torch.manual_seed(0)
    network = Recogniser({**NETWORK, **changes}, 5)
    with torch.no_grad():
        network.encode([torch.randn(60, 80)], 0)
    return network.eval()


@pytest.mark.parametrize("frames", [1, 2, 3, 31, 32, 33])
def test_extraction_is_three_thinned_passes_side_by_side(frames):
    network, features = make_network(), torch.randn(frames, 80)
    with torch.no_grad():
        content = network.content(features)
        for phase in range(min(3, frames)):
            series, _ = network.encode([features], phase)
            assert torch.allclose(content[phase::3], series, atol=1e-6)
    assert content.shape == (frames, 8)


def test_a_step_of_one_is_the_network_as_it_stands():
    network, features = make_network(step=1), torch.randn(40, 80)
    with torch.no_grad():
        content, lengths = network.encode([features], 0)
        assert lengths == [40]
        assert torch.allclose(content, network.content(features), atol=1e-6)


def test_neighbours_in_a_batch_do_not_mix():
    network = make_network()
    one, two = torch.randn(20, 80), torch.randn(14, 80)
    targets = [torch.tensor([1, 2, 3]), torch.tensor([4])]
    with torch.no_grad():
        both, lengths = network.encode([one, two], 1)
        alone, _ = network.encode([two], 1)
        assert torch.allclose(both.split(lengths)[1], alone, atol=1e-6)
        spelled, expected = network.spell(both, lengths, targets)
        own, right = network.spell(alone, lengths[1:], targets[1:])
    assert expected[1].tolist() == [4, 0, -1, -1]
    assert right.tolist() == [[4, 0]]
    assert torch.allclose(spelled[1, :2], own[0], atol=1e-5)


def test_layers_in_both_directions_are_those_of_the_library():
    torch.manual_seed(0)
    mine, theirs = Lstm(5, 4, 2, both_ways=True), nn.LSTM(5, 4, 2, bidirectional=True)
    weights = {}
    for number in range(2):
        for layers, ending in ((mine.forwards, ""), (mine.backwards, "_reverse")):
            for key, value in layers[number].state_dict().items():
                weights[key.replace("_l0", f"_l{number}{ending}")] = value
    theirs.load_state_dict(weights)
    utterances = [torch.randn(9, 5), torch.randn(6, 5)]
    frames = nn.utils.rnn.pad_sequence(utterances, batch_first=True, padding_value=7.0)
    with torch.no_grad():
        found = mine(frames, torch.tensor([9, 6]))
        for row, utterance in zip(found, utterances, strict=True):
            expected = theirs(utterance[:, None])[0][:, 0]
            assert torch.allclose(row[: len(utterance)], expected, atol=1e-6)


def test_attention_adds_up_to_one_inside_each_utterance():
    torch.manual_seed(0)
    attention = LocationAttention(8, 16, DECODER)
    content, valid = torch.randn(2, 10, 8), inside(torch.tensor([10, 4]), 10)
    with torch.no_grad():
        weights = attention(attention.key(content), torch.randn(2, 16), valid / 10, valid)
    assert torch.allclose(weights.sum(dim=1), torch.ones(2))
    assert (weights[1, 4:] == 0).all()


def test_the_decoder_knows_the_units_before_but_not_those_to_come():
    torch.manual_seed(0)
    decoder = AttentionDecoder(8, 5, {**DECODER, "layers": 2})
    content, lengths = torch.randn(1, 10, 8), torch.tensor([10])
    with torch.no_grad():
        first, _ = decoder(content, lengths, [torch.tensor([1, 2, 3])])
        other, _ = decoder(content, lengths, [torch.tensor([1, 4, 3])])
    assert torch.equal(first[0, :2], other[0, :2])
    assert not torch.allclose(first[0, 2], other[0, 2])


def test_learns_to_spell_in_both_ways(tmp_path):
    training = trained(tmp_path, epochs=4)
    extractor = Extractor(training.model(), settings())
    for entry in training.speech.train:
        number = int(training.speech.names[entry].split("-")[1])
        assert "".join(extractor.spell(say(TEXTS[number], seed=number))) == TEXTS[number]
    batch = training.speech.batch(training.step)
    with torch.no_grad():
        content, lengths = training.recogniser.encode(batch.features, 0)
        scores, expected = training.recogniser.spell(content, lengths, batch.targets)
    counted = expected >= 0
    assert (scores.argmax(dim=2) == expected)[counted].float().mean() > 0.9


def test_content_lies_on_the_grid_with_variance_one(tmp_path):
    extractor = Extractor(trained(tmp_path, epochs=4).model(), settings())
    samples = say("ABC CAB", seed=9)[:-37]
    content = extractor.features(samples)
    assert content.shape == (frame_count(samples), 8)
    assert content.dtype == np.float32
    everything = np.concatenate(
        [extractor.features(say(text, seed=n)) for n, text in enumerate(TEXTS)]
    )
    assert np.median(everything.std(axis=0)) == pytest.approx(1.0, abs=0.35)


def test_an_interrupted_training_gives_the_same_weights(tmp_path):
    whole = trained(tmp_path / "whole", epochs=2)
    halves = trained(tmp_path / "halves", epochs=2, stop=1)
    for one, other in zip(whole.network.parameters(), halves.network.parameters(), strict=True):
        assert torch.equal(one, other)
