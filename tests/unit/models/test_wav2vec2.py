import itertools

import numpy as np
import pytest
import torch
from torch.nn.functional import layer_norm, leaky_relu

from scripts.lib.models.wav2vec2 import Transcriber
from tests.factories import make_tone
from tests.unit.models.tiny_networks import CHARACTERS, save_wav2vec2


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return save_wav2vec2(tmp_path_factory.mktemp("models"))


@torch.inference_mode()
def transcribe_by_hand(encoder, head, recordings) -> list[str]:
    """Normalise over the filled length, encode, normalise again, two layers, greedy CTC."""
    longest = max(map(len, recordings))
    batch = torch.stack(
        [torch.from_numpy(np.pad(samples, (0, longest - len(samples)))) for samples in recordings]
    )
    real = torch.arange(longest)[None] < torch.tensor([len(s) for s in recordings])[:, None]
    batch = layer_norm(batch, batch.shape[1:])
    hidden = encoder(batch, attention_mask=real).last_hidden_state
    hidden = layer_norm(hidden, hidden.shape[1:])
    first, last = head
    scores = last(leaky_relu(first(hidden)))
    texts = []
    for samples, frames in zip(recordings, scores.argmax(dim=-1), strict=True):
        kept = frames[: round(len(samples) / longest * len(frames))]
        units = [unit for unit, _ in itertools.groupby(kept.tolist()) if unit]
        texts.append("".join(CHARACTERS[unit - 1] for unit in units))
    return texts


def test_hears_what_the_saved_weights_say(saved):
    folders, encoder, head = saved
    recordings = [
        make_tone(s, hz, seed) for s, hz, seed in ((1.3, 200, 1), (1.0, 90, 2), (0.5, 300, 3))
    ]
    expected = transcribe_by_hand(encoder, head, recordings)
    assert len(set(expected)) == 3
    assert Transcriber(folders).transcribe(recordings) == expected


def test_weights_that_do_not_fit_are_named(saved, tmp_path):
    folders, _, _ = saved
    model = tmp_path / "model"
    model.mkdir()
    for name in ("hyperparams.yaml", "wav2vec2.ckpt", "tokenizer.ckpt"):
        (model / name).symlink_to(f"{folders['model']}/{name}")
    torch.save({"0.linear1.w.weight": torch.zeros(12, 16)}, model / "asr.ckpt")
    with pytest.raises(ValueError, match=r"asr\.ckpt: does not fit hyperparams\.yaml"):
        Transcriber(folders | {"model": str(model)})


def test_text_is_compared_by_the_rules_of_2024():
    reference, hypothesis = Transcriber.normalize("OH, NO! IS IT. YOU'RE", "OH NO IS IT YOU'RE")
    assert reference == hypothesis == "OH NO IS IT YOU'RE"
