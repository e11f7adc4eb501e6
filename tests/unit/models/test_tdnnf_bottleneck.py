"""The speed trick of the TDNN-F content extractor, its constraint, and that it learns."""

import numpy as np
import pytest
import torch

from scripts.lib.frames import frame_count
from scripts.lib.models.batching import Frames
from scripts.lib.models.content_speech import ContentSpeech, held_out_speakers
from scripts.lib.models.tdnnf_bottleneck import ContentNetwork, Extractor, Training, thirds
from scripts.lib.models.training import fit
from tests.unit.models.spelled_tones import record, say

NETWORK = {
    "width": 32,
    "inner": 12,
    "fast": [1],
    "slow": [1, 0, 1],
    "content": 8,
    "after": [1],
    "dropout": 0.0,
    "bypass": 0.75,
}
TEXTS = ["AB C", "CA BB", "B AC", "ABC A", "C C", "BA"]


def settings(updates: int = 120, **changes) -> dict:
    """Return an entry of config/content that trains in a second."""
    masks = {"time_masks": 1, "time_frames": 2, "band_masks": 1, "band_bins": 4}
    return {
        "backend": "tdnnf_bottleneck",
        "units": {"kind": "characters", "characters": "ABC"},
        "network": NETWORK,
        "validation_speakers": 1,
        "updates": updates,
        "report_updates": 30,
        "training": {
            "batch_s": 4.0,
            "warp": 0.05,
            "masks": masks,
            "masks_from": 0.5,
            "learning_rate": 0.01,
            "warmup": 5,
            "last_rate": 0.02,
            "weight_decay": 1e-3,
            "gradient_norm": 5.0,
            "constraint_updates": 4,
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


def make_network() -> ContentNetwork:
    """A network whose running statistics are not those of its first day."""
    torch.manual_seed(0)
    network = ContentNetwork(NETWORK, 5)
    with torch.no_grad():
        network(torch.randn(60, 80), Frames([60]), 0)
    return network.eval()


@pytest.mark.parametrize("frames", [1, 2, 3, 31, 32, 33])
def test_extraction_is_three_thinned_passes_side_by_side(frames):
    network, features = make_network(), torch.randn(frames, 80)
    with torch.no_grad():
        content = network.content(features)
        hidden, _ = network.fast(features, Frames([frames]))
        for phase in range(min(3, frames)):
            rows, thinned = thirds(Frames([frames]), [phase])
            assert torch.allclose(
                content[phase::3], network._content(hidden[rows], thinned), atol=1e-6
            )
    assert content.shape == (frames, 8)


def test_extraction_is_the_network_at_full_rate_with_three_times_the_stride():
    network, features = make_network(), torch.randn(40, 80)
    with torch.no_grad():
        content = network.content(features)
        layout = Frames([40])
        frames, _ = network.fast(features, layout)
        for layer in network.slow:
            layer.stride *= 3
            frames = layer(frames, layout)
        assert torch.allclose(content, network.norm(network.narrow(frames)), atol=1e-5)


def test_neighbours_in_a_batch_do_not_mix():
    network = make_network()
    one, two = torch.randn(20, 80), torch.randn(14, 80)
    with torch.no_grad():
        both, layout = network(torch.cat([one, two]), Frames([20, 14]), 1)
        alone, _ = network(two, Frames([14]), 1)
    assert torch.allclose(both.split(layout.lengths)[1], alone, atol=1e-6)


def test_learns_and_its_factors_are_semi_orthogonal(tmp_path):
    training = trained(tmp_path, epochs=4)
    extractor = Extractor(training.model(), settings())
    for entry in training.speech.train:
        number = int(training.speech.names[entry].split("-")[1])
        assert "".join(extractor.spell(say(TEXTS[number], seed=number))) == TEXTS[number]
    layers = [*training.network.fast.layers, *training.network.slow, *training.network.after]
    for layer in layers:
        taps = 2 if layer.stride else 1
        matrix = torch.cat(layer.factor.weight.chunk(taps, dim=0), dim=1).detach()
        gram = matrix @ matrix.T
        scale = (gram * gram).sum() / gram.trace()
        assert (gram / scale - torch.eye(len(gram))).abs().max() < 1e-3


def test_content_lies_on_the_grid_with_variance_one(tmp_path):
    training = trained(tmp_path, epochs=4)
    extractor = Extractor(training.model(), settings())
    samples = say("ABC CAB", seed=9)[:-37]
    content = extractor.features(samples)
    assert content.shape == (frame_count(samples), 8)
    assert content.dtype == np.float32
    everything = np.concatenate(
        [extractor.features(say(text, seed=n)) for n, text in enumerate(TEXTS)]
    )
    assert np.median(everything.std(axis=0)) == pytest.approx(1.0, abs=0.35)


def test_an_interrupted_training_gives_the_same_weights(tmp_path):
    whole = trained(tmp_path / "whole", epochs=4)
    halves = trained(tmp_path / "halves", epochs=4, stop=1)
    for one, other in zip(whole.network.parameters(), halves.network.parameters(), strict=True):
        assert torch.equal(one, other)


def test_every_utterance_comes_once_per_round_and_held_out_speakers_never(tmp_path):
    utterances = record(tmp_path, TEXTS)
    speech = ContentSpeech(utterances, settings(), seed=0, threads=1, step=3)
    held = set(held_out_speakers(utterances["speaker"], 1, 0))
    assert {utterances["speaker"][entry] for entry in speech.valid} == held
    assert not held & {utterances["speaker"][entry] for entry in speech.train}
    assert speech.speakers == 1
    heard = [len(speech.batch(update).features) for update in range(4)]
    assert heard == [3, 3, 3, 3]


def test_a_text_too_long_for_its_recording_is_named(tmp_path):
    utterances = record(tmp_path, TEXTS)
    utterances.loc[2, "text"] = "AB" * 60
    with pytest.raises(ValueError, match=rf"utterance {utterances['utterance'][2]}: its text"):
        ContentSpeech(utterances, settings(), seed=0, threads=1, step=3)


def test_someone_has_to_be_left_to_train_on():
    with pytest.raises(ValueError, match="2 of 2 training speakers"):
        held_out_speakers(["s1", "s2", "s1"], 2, 0)
