"""A random wav2vec2 of a few hundred weights, saved as the model hub hands models out."""

from collections.abc import Mapping
from pathlib import Path

import torch
from transformers import Wav2Vec2Config, Wav2Vec2FeatureExtractor, Wav2Vec2Model

from scripts.lib.manifest import EMOTIONS

SETTINGS = {
    "backend": "emotion_wav2vec2",
    "epochs": 2,
    "batch": 2,
    "learning_rate": 1e-2,
    "encoder_learning_rate": 1e-3,
    "freeze_convolutions": True,
    "gradient_norm": 5.0,
    "annealing": {"factor": 0.9, "threshold": 0.0025},
}
# Another order than ours, as a label encoder may have it.
LABELS = ("neu", "ang", "hap", "sad")


def tiny_encoder(folder: Path) -> Path:
    """Save encoder and settings of its input; return the folder."""
    torch.manual_seed(0)
    config = Wav2Vec2Config(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        conv_dim=(8, 8),
        conv_kernel=(20, 10),
        conv_stride=(20, 16),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
    )
    Wav2Vec2Model(config).save_pretrained(folder)
    Wav2Vec2FeatureExtractor(do_normalize=True).save_pretrained(folder)
    return folder


def save_as_speechbrain(folder: Path, model: Mapping) -> None:
    """Write a model of ours as SpeechBrain's recipe saves its own."""
    checkpoint = folder / "CKPT+2024-01-01+00-00-00+00"
    checkpoint.mkdir(parents=True)
    weights = model["weights"]
    encoder = {k: v for k, v in weights.items() if k.startswith("encoder.")}
    encoder = {f"model.{key.removeprefix('encoder.')}": value for key, value in encoder.items()}
    torch.save(encoder, checkpoint / "wav2vec2.ckpt")
    rows = weights["head.weight"][[EMOTIONS.index(name) for name in LABELS]]
    torch.save({"0.w.weight": rows}, checkpoint / "model.ckpt")
    lines = [f"'{name}' => {number}" for number, name in enumerate(LABELS)]
    text = "\n".join([*lines, "=" * 16, "'starting_index' => 0", ""])
    (folder / "label_encoder.txt").write_text(text)
