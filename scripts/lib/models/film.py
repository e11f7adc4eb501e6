"""Convolutional acoustic model: content and pitch to log-mel, in the voice of a speaker vector.

The vector scales and shifts every channel of every block (FiLM, Perez et al., AAAI 2018).
"""

from collections.abc import Mapping

import torch
from torch import nn

from scripts.lib.frames import BANDS
from scripts.lib.models.mel_training import MelSynthesizer, MelTraining, Normalizer, input_size
from scripts.lib.models.speech_frames import Crop

SQUARED_SHARE = 0.5


class Block(nn.Module):
    """Convolution, batch normalisation, the speaker's scale and shift, GELU, and a bypass."""

    def __init__(self, channels: int, kernel: int, dilation: int, vector: int, dropout: float):
        super().__init__()
        self.convolution = nn.Conv1d(channels, channels, kernel, dilation=dilation, padding="same")
        self.norm = nn.BatchNorm1d(channels, affine=False)
        self.film = nn.Linear(vector, 2 * channels)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, hidden: torch.Tensor, vectors: torch.Tensor, inside: torch.Tensor
    ) -> torch.Tensor:
        """Map (batch, channels, frames) to the same; beyond the ends of utterances stay zeros."""
        frames = self.convolution(hidden)
        if inside.all():
            frames = self.norm(frames)
        else:
            # Frames that fill up a batch are none of its statistics.
            rows = frames.transpose(1, 2)
            normed = torch.zeros_like(rows)
            normed[inside] = self.norm(rows[inside])
            frames = normed.transpose(1, 2)
        scale, shift = self.film(vectors)[:, :, None].chunk(2, dim=1)
        voiced = nn.functional.gelu(frames * (1 + scale) + shift)
        return (hidden + self.dropout(voiced)) * inside[:, None]


class Film(nn.Module):
    """Content, pitch and vector to normalised log-mel.

    Parameters
    ----------
    config
        Entry of config/acoustic.
    sizes
        Dimensions of `content` and `vector`.
    """

    def __init__(self, config: Mapping, sizes: Mapping[str, int]):
        super().__init__()
        channels = config["channels"]
        self.normalizer = Normalizer(sizes, "pitch" in config)
        self.entry = nn.Conv1d(input_size(sizes, config), channels, 3, padding=1)
        self.blocks = nn.ModuleList(
            Block(channels, config["kernel"], dilation, sizes["vector"], config["dropout"])
            for dilation in config["dilations"]
        )
        self.output = nn.Conv1d(channels, BANDS, 3, padding=1)

    def predict(
        self,
        content: torch.Tensor,
        f0: torch.Tensor,
        vectors: torch.Tensor,
        inside: torch.Tensor,
    ) -> torch.Tensor:
        """Return normalised log-mel of shape (batch, frames, 80).

        Parameters
        ----------
        content, f0, vectors
            Shapes (batch, frames, dim), (batch, frames) and (batch, dim).
        inside
            Shape (batch, frames): false beyond the end of an utterance.
        """
        frames = self.normalizer.frames(content, f0) * inside[:, :, None]
        vectors = self.normalizer.vectors(vectors)
        hidden = self.entry(frames.transpose(1, 2)) * inside[:, None]
        for block in self.blocks:
            hidden = block(hidden, vectors, inside)
        return self.output(hidden).transpose(1, 2)


class Training(MelTraining):
    """One training run: absolute plus half the squared error of normalised log-mel."""

    network_class = Film

    def loss(self, batch: Crop) -> torch.Tensor:
        """Return the loss of the frames inside of utterances."""
        predicted = self.network.predict(batch.content, batch.f0, batch.vectors, batch.inside)
        error = (predicted - self.network.normalizer.mel(batch.mel))[batch.inside]
        return error.abs().mean() + SQUARED_SHARE * error.square().mean()


class Synthesizer(MelSynthesizer):
    """A trained model, ready to speak with any vector."""

    network_class = Film
