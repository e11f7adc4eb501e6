"""Acoustic model of VoicePrivacy 2020 and 2022: each frame of log-mel after the last one.

Content, pitch and speaker vector pass through a bidirectional network; recurrent layers add what
was said last, and a causal post-net refines the frame (systems after Wang et al.).
"""

from collections.abc import Mapping

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from scripts.lib.frames import BANDS
from scripts.lib.models.mel_training import MelSynthesizer, MelTraining, Normalizer, input_size
from scripts.lib.models.speech_frames import Crop

POST_LAYERS, POST_KERNEL = 5, 5


class NoisyGate(nn.Module):
    """Tanh times the sigmoid of uniform noise in [−1, 1], so that no input can be relied on.

    In use the gate stands at its mean of one half: the noise is for training, as in dropout, and
    one input has one output. The released models draw noise in use, too.
    """

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        """Return gated frames of the same shape."""
        if not self.training:
            return 0.5 * frames.tanh()
        noise = 2 * torch.rand_like(frames) - 1
        return frames.tanh() * noise.sigmoid()


class PostNet(nn.Module):
    """Five causal convolutions over time, with a gate before all but the first."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Conv1d(BANDS, BANDS, POST_KERNEL) for _ in range(POST_LAYERS)
        )
        self.gate = NoisyGate()

    def forward(self, coarse: torch.Tensor) -> torch.Tensor:
        """Return refined frames of shape (batch, frames, 80)."""
        hidden = coarse.transpose(1, 2)
        for place, layer in enumerate(self.layers):
            hidden = self.gate(hidden) if place else hidden
            hidden = layer(nn.functional.pad(hidden, (POST_KERNEL - 1, 0)))
        return coarse + hidden.transpose(1, 2)

    def memory(self, batch: int, like: torch.Tensor) -> list[torch.Tensor]:
        """Return what each layer has heard before the first frame: zeros."""
        return [like.new_zeros(batch, BANDS, POST_KERNEL - 1) for _ in self.layers]

    def step(self, coarse: torch.Tensor, memory: list[torch.Tensor]) -> torch.Tensor:
        """Return the next refined frame of shape (batch, 80); `memory` moves on by one."""
        hidden = coarse
        for place, layer in enumerate(self.layers):
            hidden = self.gate(hidden) if place else hidden
            heard = torch.cat([memory[place], hidden[:, :, None]], dim=2)
            memory[place] = heard[:, :, 1:]
            hidden = torch.addmm(layer.bias, heard.flatten(1), layer.weight.flatten(1).T)
        return coarse + hidden


class Autoregressive(nn.Module):
    """Content, pitch and vector to normalised log-mel, frame after frame.

    Parameters
    ----------
    config
        Entry of config/acoustic.
    sizes
        Dimensions of `content` and `vector`.
    """

    def __init__(self, config: Mapping, sizes: Mapping[str, int]):
        super().__init__()
        width, both = config["width"], config["bidirectional"]
        self.feedback_scale = config["feedback_scale"]
        self.normalizer = Normalizer(sizes, "pitch" in config)
        self.forward_layers = nn.Sequential(
            nn.Linear(input_size(sizes, config) + sizes["vector"], width),
            nn.Tanh(),
            nn.Linear(width, width),
            nn.Tanh(),
        )
        self.encoder = nn.LSTM(width, both // 2, bidirectional=True, batch_first=True)
        self.gate = NoisyGate()
        self.feedback = nn.Sequential(nn.Linear(BANDS, BANDS), nn.Linear(BANDS, BANDS))
        self.decoder = nn.LSTM(both + BANDS, config["recurrent"], 2, batch_first=True)
        self.output = nn.Linear(config["recurrent"], BANDS)
        self.post = PostNet()

    def encode(
        self,
        content: torch.Tensor,
        f0: torch.Tensor,
        vectors: torch.Tensor,
        inside: torch.Tensor,
    ) -> torch.Tensor:
        """Return what is known of each frame before any is spoken."""
        frames = self.normalizer.frames(content, f0)
        vectors = self.normalizer.vectors(vectors)[:, None].expand(-1, frames.shape[1], -1)
        hidden = self.forward_layers(torch.cat([frames, vectors], dim=2))
        lengths = inside.sum(dim=1).cpu()
        packed = pack_padded_sequence(hidden, lengths, batch_first=True, enforce_sorted=False)
        encoded, _ = pad_packed_sequence(
            self.encoder(packed)[0], batch_first=True, total_length=hidden.shape[1]
        )
        return encoded

    def teach(
        self, encoded: torch.Tensor, target: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return coarse and refined frames, each after the true frame before it."""
        fed = self.feedback(self.gate(self.feedback_scale * previous_frames(target)))
        hidden, _ = self.decoder(torch.cat([encoded, fed], dim=2))
        coarse = self.output(hidden)
        return coarse, self.post(coarse)

    def predict(
        self,
        content: torch.Tensor,
        f0: torch.Tensor,
        vectors: torch.Tensor,
        inside: torch.Tensor,
    ) -> torch.Tensor:
        """Return normalised log-mel of shape (batch, frames, 80), each frame after our own last."""
        encoded = self.encode(content, f0, vectors, inside)
        batch, count, _ = encoded.shape
        last, state, memory = (
            encoded.new_zeros(batch, BANDS),
            None,
            self.post.memory(batch, encoded),
        )
        frames = []
        for place in range(count):
            fed = self.feedback(self.gate(self.feedback_scale * last))
            hidden, state = self.decoder(torch.cat([encoded[:, place], fed], dim=1)[:, None], state)
            last = self.post.step(self.output(hidden[:, 0]), memory)
            frames.append(last)
        return torch.stack(frames, dim=1)


def previous_frames(frames: torch.Tensor) -> torch.Tensor:
    """Return the frame before each, zeros before the first.

    Examples
    --------
    >>> previous_frames(torch.tensor([[[1.0], [2.0], [3.0]]])).flatten().tolist()
    [0.0, 1.0, 2.0]
    """
    return torch.cat([torch.zeros_like(frames[:, :1]), frames[:, :-1]], dim=1)


class Training(MelTraining):
    """One training run: squared errors of coarse and refined frames, the last true frame given."""

    network_class = Autoregressive

    def loss(self, batch: Crop) -> torch.Tensor:
        """Return the loss of the frames inside of utterances."""
        target = self.network.normalizer.mel(batch.mel)
        encoded = self.network.encode(batch.content, batch.f0, batch.vectors, batch.inside)
        coarse, refined = self.network.teach(encoded, target)
        inside = batch.inside
        return sum((frames - target)[inside].square().mean() for frames in (coarse, refined))


class Synthesizer(MelSynthesizer):
    """A trained model, ready to speak with any vector."""

    network_class = Autoregressive
