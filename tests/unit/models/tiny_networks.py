"""Tiny networks with random weights, saved in the formats in which recognisers are published."""

import json
from pathlib import Path

import torch
from speechbrain.dataio.encoder import CTCTextEncoder
from tokenizers.pre_tokenizers import ByteLevel
from transformers import (
    Wav2Vec2Config,
    Wav2Vec2FeatureExtractor,
    Wav2Vec2Model,
    WhisperConfig,
    WhisperFeatureExtractor,
    WhisperForConditionalGeneration,
    WhisperProcessor,
    WhisperTokenizer,
)

CHARACTERS = [" ", "A", "B", "C", "'"]
UNITS = 1 + len(CHARACTERS)
# The old place of SpeechBrain's wrapper, as the published file names it.
HYPERPARAMS = f"""\
wav2vec2_hub: facebook/wav2vec2-large-960h-lv60-self
wav2vec2: !new:speechbrain.lobes.models.huggingface_wav2vec.HuggingFaceWav2Vec2
    source: !ref <wav2vec2_hub>
    output_norm: True
    freeze: True
    save_path: nowhere
enc: !new:speechbrain.nnet.containers.Sequential
    input_shape: [null, null, 16]
    linear1: !name:speechbrain.nnet.linear.Linear
        n_neurons: 12
        bias: True
    activation: !new:torch.nn.LeakyReLU
ctc_lin: !new:speechbrain.nnet.linear.Linear
    input_size: 12
    n_neurons: {UNITS}
log_softmax: !new:speechbrain.nnet.activations.Softmax
    apply_log: True
asr_model: !new:torch.nn.ModuleList
    - [!ref <enc>, !ref <ctc_lin>]
encoder: !new:speechbrain.nnet.containers.LengthsCapableSequential
    wav2vec2: !ref <wav2vec2>
    enc: !ref <enc>
    ctc_lin: !ref <ctc_lin>
    log_softmax: !ref <log_softmax>
modules:
    encoder: !ref <encoder>
tokenizer: !new:speechbrain.dataio.encoder.CTCTextEncoder
decoding_function: !name:speechbrain.decoders.ctc_greedy_decode
    blank_id: 0
pretrainer: !new:speechbrain.utils.parameter_transfer.Pretrainer
    loadables:
        wav2vec2: !ref <wav2vec2>
        asr: !ref <asr_model>
        tokenizer: !ref <tokenizer>
"""


def save_wav2vec2(
    folder: Path,
) -> tuple[dict, Wav2Vec2Model, tuple[torch.nn.Linear, torch.nn.Linear]]:
    """Write a recogniser and the encoder it names; return its entry and networks.

    The encoder's own folder holds other weights: those of the recogniser have to be used.
    """
    torch.manual_seed(1)
    config = Wav2Vec2Config(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        conv_dim=(16, 16, 16),
        conv_stride=(10, 8, 4),
        conv_kernel=(10, 8, 4),
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=2,
        feat_extract_norm="layer",
        do_stable_layer_norm=True,
    )
    place = folder / "encoder"
    Wav2Vec2Model(config).save_pretrained(place)
    Wav2Vec2FeatureExtractor(do_normalize=True, return_attention_mask=True).save_pretrained(place)
    encoder = Wav2Vec2Model(config).eval()
    head = torch.nn.Linear(16, 12), torch.nn.Linear(12, UNITS)
    with torch.no_grad():
        # Larger weights, so that more than one character is heard.
        for layer in head:
            layer.weight.normal_(0, 1)
    model = folder / "recognizer"
    model.mkdir()
    (model / "hyperparams.yaml").write_text(HYPERPARAMS)
    states = {f"model.{key}": value for key, value in encoder.state_dict().items()}
    torch.save(states, model / "wav2vec2.ckpt")
    states = {
        f"{name}.w.{key}": value
        for name, layer in zip(("0.linear1", "1"), head, strict=True)
        for key, value in layer.state_dict().items()
    }
    torch.save(states, model / "asr.ckpt")
    tokenizer = CTCTextEncoder()
    tokenizer.insert_blank(index=0)
    for character in CHARACTERS:
        tokenizer.add_label(character)
    tokenizer.save(model / "tokenizer.ckpt")
    config = {"model": str(model), "revision": "", "encoder": str(place)}
    return config, encoder, head


def save_whisper(folder: Path) -> WhisperForConditionalGeneration:
    """Write a network that hears English only, with single bytes as tokens; return it."""
    alphabet = sorted(ByteLevel.alphabet())
    end = "<|endoftext|>"
    vocabulary = {token: number for number, token in enumerate([*alphabet, end])}
    tokenizer = WhisperTokenizer(vocab=vocabulary, merges=[])
    names = ("startoftranscript", "translate", "transcribe", "startofprev", "nospeech")
    marks = [f"<|{name}|>" for name in (*names, "notimestamps")]
    tokenizer.add_special_tokens({"additional_special_tokens": marks})
    tokenizer.add_tokens([f"<|{0.02 * step:.2f}|>" for step in range(1501)])
    numbers = dict(zip(marks, tokenizer.convert_tokens_to_ids(marks), strict=True))
    ends = dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"), vocabulary[end])
    start = {"decoder_start_token_id": numbers["<|startoftranscript|>"]}
    sizes = {"layers": 1, "attention_heads": 2, "ffn_dim": 32}
    config = WhisperConfig(
        vocab_size=len(tokenizer),
        d_model=16,
        max_target_positions=32,
        begin_suppress_tokens=None,
        **{f"encoder_{key}": value for key, value in sizes.items()},
        **{f"decoder_{key}": value for key, value in sizes.items()},
        **ends,
        **start,
    )
    torch.manual_seed(2)
    model = WhisperForConditionalGeneration(config).eval()
    with torch.no_grad():
        # Without offsets, so that what is heard matters; time stamps, the last tokens, never win.
        for name, weights in model.named_parameters():
            if name.endswith("bias"):
                weights.zero_()
            elif weights.dim() > 1:
                weights.normal_(0, 0.6)
        tokens = model.model.decoder.embed_tokens.weight
        tokens.copy_(torch.nn.functional.normalize(tokens))
        tokens[len(alphabet) + 1 :] = 0
    choices = {"no_timestamps_token_id": numbers["<|notimestamps|>"], "max_length": 12}
    model.save_pretrained(folder)
    choices |= ends | start | {"max_initial_timestamp_index": 50}
    (folder / "generation_config.json").write_text(json.dumps(choices))
    WhisperProcessor(WhisperFeatureExtractor(), tokenizer).save_pretrained(folder)
    return model
