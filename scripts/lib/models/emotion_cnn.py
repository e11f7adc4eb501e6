"""Classify the emotion of an utterance with a small convolutional network on log-mel frames.

Frames are long enough for harmonics, which carry pitch. Each bin's mean over the utterance is
removed: level and colour of a recording are the channel's and the anonymizer's, and a recogniser
that listens to them takes every anonymized voice for one class.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import torch
from torch import nn
from torchaudio.transforms import MelSpectrogram

from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.emotions import Fold
from scripts.lib.manifest import EMOTIONS
from scripts.lib.models.training import device, seed_everything
from scripts.lib.seeding import rng_for

HOP_MS = 20


class Network(nn.Module):
    """Log-mel frames of shape (batch, frames, bins) to one logit per class."""

    def __init__(self, config: Mapping):
        super().__init__()
        width = config["channels"]
        self.near = nn.Conv1d(config["mel_bins"], width, 5, padding=2)
        self.far = nn.Conv1d(width, width, 5, padding=4, dilation=2)
        self.dropout = nn.Dropout(config["dropout"])
        self.classes = nn.Linear(2 * width, len(EMOTIONS))

    def forward(self, frames: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Pool mean and deviation over each utterance's own frames.

        Frames behind an utterance's end stay zero in every layer, as if the convolutions were
        padded there, so that no logit depends on the company in a batch.
        """
        inside = torch.arange(frames.shape[1], device=frames.device) < lengths[:, None]
        inside = inside[:, None].float()
        hidden = self.near(frames.transpose(1, 2)).relu() * inside
        hidden = self.far(hidden).relu() * inside
        count = lengths[:, None].float()
        mean = hidden.sum(dim=2) / count
        spread = ((hidden - mean[..., None]) ** 2 * inside).sum(dim=2) / (count - 1)
        # The square root has no slope at zero, where a silent channel lies.
        return self.classes(self.dropout(torch.cat([mean, (spread + 1e-8).sqrt()], dim=1)))


class Recordings:
    """Features of the utterances of a manifest, each read once."""

    def __init__(self, utterances: pd.DataFrame, config: Mapping):
        window = round(config["window_ms"] * RATE_HZ / 1000)
        mel = MelSpectrogram(
            RATE_HZ,
            n_fft=window,
            hop_length=RATE_HZ * HOP_MS // 1000,
            n_mels=config["mel_bins"],
            f_max=config["high_hz"],
            norm="slaney",
            mel_scale="slaney",
        )
        self.features = [
            _without_mean(torch.log(mel(torch.from_numpy(read_audio(path))) + 1e-8).T)
            for path in utterances["path"]
        ]
        self.labels = [EMOTIONS.index(emotion) for emotion in utterances["emotion"]]


class Training:
    """One fold's training; the last epoch counts, so nothing is developed on.

    Parameters
    ----------
    recordings
        Features and labels of the whole dataset.
    fold
        Which utterances to train on.
    config
        Entry of config/ser.
    seed
        Seed of initial weights and order.
    """

    def __init__(self, recordings: Recordings, fold: Fold, config: Mapping, seed: int) -> None:
        self.recordings, self.chosen, self.config, self.seed = recordings, fold.train, config, seed
        frames = torch.cat([recordings.features[number] for number in self.chosen])
        self.mean, self.deviation = frames.mean(dim=0), frames.std(dim=0)
        seed_everything(seed, "initial weights")
        self.network = Network(config).to(device())
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), config["learning_rate"], weight_decay=config["weight_decay"]
        )

    def state_dict(self) -> dict[str, Any]:
        """Return everything the next epoch depends on."""
        return {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Train on every utterance once, its gradient averaged over a batch."""
        self.network.train()
        progress = (epoch - 1) / self.config["epochs"]
        for group in self.optimizer.param_groups:
            group["lr"] = self.config["learning_rate"] * 0.5 * (1 + math.cos(math.pi * progress))
        order = rng_for(self.seed, "order", epoch).permutation(self.chosen)
        total, hits = 0.0, 0
        for start in range(0, len(order), self.config["batch"]):
            batch = order[start : start + self.config["batch"]]
            labels = torch.tensor([self.recordings.labels[number] for number in batch])
            logits = self.network(*_batch(self.recordings, batch, self.mean, self.deviation))
            loss = nn.functional.cross_entropy(logits, labels.to(device()))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += float(loss.detach()) * len(batch)
            hits += int((logits.argmax(dim=1).cpu() == labels).sum())
        return {"train_loss": total / len(order), "train_accuracy": hits / len(order)}

    def model(self) -> dict[str, Any]:
        """Return what `classify` needs."""
        weights = {key: value.cpu() for key, value in self.network.state_dict().items()}
        return {"weights": weights, "mean": self.mean, "deviation": self.deviation}


@torch.inference_mode()
def classify(
    recordings: Recordings, chosen: Sequence[int], model: Mapping, config: Mapping
) -> list[str]:
    """Return the most likely class of each chosen utterance."""
    network = Network(config)
    network.load_state_dict(model["weights"])
    network.eval().to(device())
    return [
        EMOTIONS[int(network(*_batch(recordings, [n], model["mean"], model["deviation"])).argmax())]
        for n in chosen
    ]


def _without_mean(frames: torch.Tensor) -> torch.Tensor:
    return frames - frames.mean(dim=0, keepdim=True)


def _batch(
    recordings: Recordings, chosen: Sequence[int], mean: torch.Tensor, deviation: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    frames = [(recordings.features[number] - mean) / deviation for number in chosen]
    lengths = torch.tensor([len(item) for item in frames])
    padded = nn.utils.rnn.pad_sequence(frames, batch_first=True)
    return padded.to(device()), lengths.to(device())
