import numpy as np
import pytest
import torch
from transformers import WhisperFeatureExtractor

from scripts.lib.audio import RATE_HZ
from scripts.lib.models.whisper import Transcriber
from tests.factories import make_tone
from tests.unit.models.tiny_networks import save_whisper


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whisper")
    return save_whisper(folder), Transcriber({"model": str(folder), "revision": ""})


@torch.inference_mode()
def transcribe_by_hand(model, config, tokenizer, samples) -> str:
    """Take the likeliest token step by step."""
    features = WhisperFeatureExtractor()(samples, sampling_rate=RATE_HZ, return_tensors="pt")
    tokens = [config.decoder_start_token_id, config.no_timestamps_token_id]
    for _ in range(config.max_length):
        decoded = model(features.input_features, decoder_input_ids=torch.tensor([tokens]))
        tokens.append(int(decoded.logits[0, -1].argmax()))
        if tokens[-1] == config.eos_token_id:
            break
    return tokenizer.decode(tokens, skip_special_tokens=True).strip()


def test_hears_what_the_saved_weights_say_in_any_company(saved):
    model, recognizer = saved
    recordings = [make_tone(1.0, 200, 1), make_tone(1.5, 90, 2)]
    tokenizer = recognizer.processor.tokenizer
    config = recognizer.model.generation_config
    expected = [transcribe_by_hand(model, config, tokenizer, samples) for samples in recordings]
    assert all(expected)
    assert len(set(expected)) == 2
    assert recognizer.transcribe(recordings) == expected
    assert [recognizer.transcribe([samples])[0] for samples in recordings] == expected


def test_more_than_one_window_is_heard_to_its_end(saved):
    _, recognizer = saved
    found = recognizer.transcribe([np.tile(make_tone(1.0), 45), make_tone(2.0)])
    assert len(found) == 2


def test_both_texts_are_compared_by_whisper_s_own_rules(saved):
    _, recognizer = saved
    texts = ("MISTER SMITH IT'S TWENTY FIVE", "Mr. Smith, um, it is 25.")
    assert recognizer.normalize(*texts) == ("mister smith it is 25", "mister smith it is 25")
