"""X-vectors: speaker embeddings of a time-delay network (vpc2020 section 5.2).

Contexts, sizes and schedule are settings whose defaults are those of the plan, so that ASV_eval of
VoicePrivacy 2020 and an attacker for two cores are two configuration entries.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch.nn import functional

from scripts.lib.models.batch_parts import BatchParts
from scripts.lib.models.chunks import Chunks
from scripts.lib.models.gpus import over_gpus
from scripts.lib.models.mfcc import voiced_cepstra
from scripts.lib.models.training import device, load_state, seed_everything

# Kaldi's: under the root of batch normalisation, and the smallest variance that is pooled.
NORM_EPSILON = 1e-3
VARIANCE_FLOOR = 1e-10


class Extractor(torch.nn.Module):
    """Features of shape (batch, cepstra, frames) to x-vectors of shape (batch, dim).

    The x-vector is the affine output after pooling, before any nonlinearity.
    """

    def __init__(self, config: Mapping):
        super().__init__()
        layers, width, self.context = [], config["features"]["cepstra"], 1
        for layer in config["layers"]:
            frames, spacing = layer["frames"], layer["spacing"]
            # No padding: frames without full context are lost, as in 2020.
            affine = torch.nn.Conv1d(width, layer["width"], frames, dilation=spacing)
            layers += [affine, torch.nn.ReLU(), _norm(layer["width"])]
            width, self.context = layer["width"], self.context + (frames - 1) * spacing
        for key, frames in (
            ("min_frames", config["min_frames"]),
            ("chunk_frames.minimum", config["chunk_frames"]["minimum"]),
        ):
            if frames < self.context:
                raise ValueError(f"{key} is {frames}, but the layers see {self.context} frames")
        self.layers = torch.nn.Sequential(*layers)
        self.affine = torch.nn.Linear(2 * width, config["embedding"])

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Return one x-vector per recording."""
        frames = self.layers(features)
        variance = frames.var(dim=2, unbiased=False).clamp(min=VARIANCE_FLOOR)
        return self.affine(torch.cat([frames.mean(dim=2), variance.sqrt()], dim=1))


class Classifier(torch.nn.Sequential):
    """X-vectors to a score of each training speaker."""

    def __init__(self, config: Mapping, speakers: int):
        output = torch.nn.Linear(config["segment"], speakers)
        torch.nn.init.zeros_(output.weight)
        torch.nn.init.zeros_(output.bias)
        super().__init__(
            torch.nn.ReLU(),
            _norm(config["embedding"]),
            torch.nn.Linear(config["embedding"], config["segment"]),
            torch.nn.ReLU(),
            _norm(config["segment"]),
            output,
        )


class Training:
    """One training run of an extractor, epoch by epoch.

    An epoch draws as many frames as the training data hold, in chunks of random length and place.

    Two deviations from Kaldi, neither measured here, for lack of the plan's corpus: gradients are
    not preconditioned (natural gradient), and parameters are not shrunk (proportional-shrink),
    which only speeds learning up where batch normalisation follows.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/asv.
    seed
        Seed of initial weights, validation split and chunks.
    threads
        Cores of the job.
    """

    def __init__(self, utterances: pd.DataFrame, config: Mapping, seed: int, threads: int):
        self.config = config
        self.chunks = Chunks(utterances, config, seed, threads)
        self.steps = self.chunks.steps
        seed_everything(seed, "initial weights")
        self.extractor = Extractor(config).to(device())
        self.shared_extractor = over_gpus(self.extractor)
        self.classifier = Classifier(config, len(self.chunks.speakers)).to(device())
        self.parameters = [*self.extractor.parameters(), *self.classifier.parameters()]
        decay = config["weight_decay"]
        if config["optimizer"] == "sgd":
            self.optimizer = torch.optim.SGD(
                self.parameters, momentum=config["momentum"], weight_decay=decay
            )
        else:
            self.optimizer = torch.optim.Adam(self.parameters, weight_decay=decay)
        # Batch normalisation cannot train on a single chunk.
        self.parts = BatchParts(smallest=2)

    def state_dict(self) -> dict[str, Any]:
        """Return everything the next epoch depends on."""
        return {
            "extractor": self.extractor.state_dict(),
            "classifier": self.classifier.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "parts": self.parts.count,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        self.extractor.load_state_dict(state["extractor"])
        self.classifier.load_state_dict(state["classifier"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.parts.count = state["parts"]

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Take as many steps as draw every training frame once, on average."""
        self.extractor.train()
        self.classifier.train()
        total, hits, rate = 0.0, 0, 0.0
        for number, (chunks, labels) in enumerate(self.chunks.epoch(epoch)):
            step = (epoch - 1) * self.steps + number
            rate = falling_rate(
                step, steps=self.config["epochs"] * self.steps, **self.config["learning_rate"]
            )
            loss, hit = self._train_batch(chunks, labels, rate)
            if not math.isfinite(loss):
                raise ValueError(f"the loss is {loss} in epoch {epoch}; lower the rate")
            total += loss
            hits += hit
        drawn = self.steps * self.config["batch"]
        return {
            "learning_rate": rate,
            "train_loss": total / drawn,
            "train_accuracy": hits / drawn,
            **self._validate(),
        }

    def model(self) -> dict[str, Any]:
        """Return what `Embedder` needs."""
        weights = {key: value.cpu() for key, value in self.extractor.state_dict().items()}
        return {"config": dict(self.config), "weights": weights}

    def _train_batch(
        self, chunks: torch.Tensor, labels: torch.Tensor, rate: float
    ) -> tuple[float, int]:
        """Take one step; return the summed loss and how many chunks were recognised."""
        descent = self.config["optimizer"] == "sgd"
        # Kaldi's rates are for the sum over a batch, Adam's for the mean.
        scale = 1.0 if descent else 1.0 / len(labels)

        def loss_of(part: slice) -> tuple[torch.Tensor, int]:
            loss, hits = self._recognize(chunks[part], labels[part])
            return scale * loss, hits

        loss, hits = self.parts.backward(self.optimizer, len(labels), loss_of)
        if descent:
            # Gradients of this length at most cannot add up to a longer step than max_change,
            # momentum included. Kaldi shortens the step itself, and each layer's (0.75) as well.
            torch.nn.utils.clip_grad_norm_(self.parameters, self.config["max_change"] / rate)
            rate *= 1.0 - self.config["momentum"]
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        return loss / scale, sum(hits)

    def _recognize(self, chunks: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, int]:
        chunks, labels = chunks.to(device()), labels.to(device())
        outputs = self.classifier(self.shared_extractor(chunks))
        hits = int((outputs.argmax(dim=1) == labels).sum())
        return functional.cross_entropy(outputs, labels, reduction="sum"), hits

    @torch.inference_mode()
    def _validate(self) -> dict[str, float]:
        self.extractor.eval()
        self.classifier.eval()
        loss, hits, count = 0.0, 0, 0
        for chunks, labels in self.chunks.validation():
            batch_loss, hit = self._recognize(chunks, labels)
            loss += float(batch_loss)
            hits += hit
            count += len(labels)
        return {"valid_loss": loss / count, "valid_accuracy": hits / count}


class Embedder:
    """A trained model, ready to embed recordings.

    Parameters
    ----------
    path
        File written from `Training.model`.
    """

    def __init__(self, path: str | Path):
        stored = load_state(path)
        self.config = stored["config"]
        self.extractor = Extractor(self.config).to(device())
        self.extractor.load_state_dict(stored["weights"])
        self.extractor.eval()

    @torch.inference_mode()
    def embed(self, samples: np.ndarray) -> np.ndarray:
        """Return the x-vector of a whole recording, of shape (dim,).

        A very long one is cut into pieces, and their x-vectors averaged by length.
        """
        frames = voiced_cepstra(samples, self.config["features"])
        longest = self.config["max_frames"]
        pieces = [frames[first : first + longest] for first in range(0, len(frames), longest)]
        vectors = [self._embed_piece(piece) for piece in pieces]
        weights = [len(piece) for piece in pieces]
        return np.average(vectors, axis=0, weights=weights).astype(np.float32)

    def _embed_piece(self, frames: np.ndarray) -> np.ndarray:
        filled = torch.from_numpy(with_edges(frames, self.config["min_frames"]).T[None].copy())
        return self.extractor(filled.to(device()))[0].cpu().numpy()


def with_edges(frames: np.ndarray, wanted: int) -> np.ndarray:
    """Repeat the first and the last frame until there are enough.

    Examples
    --------
    >>> with_edges(np.array([[1.0], [2.0]]), 5)[:, 0].tolist()
    [1.0, 1.0, 2.0, 2.0, 2.0]
    """
    missing = max(0, wanted - len(frames))
    return np.pad(frames, ((missing // 2, missing - missing // 2), (0, 0)), mode="edge")


def falling_rate(step: int, *, steps: int, first: float, last: float) -> float:
    """Return the learning rate of a step, counted from 0.

    Examples
    --------
    >>> [falling_rate(n, steps=3, first=0.4, last=0.1) for n in range(3)]
    [0.4, 0.2, 0.1]
    """
    return first * (last / first) ** (step / max(1, steps - 1))


def _norm(width: int) -> torch.nn.BatchNorm1d:
    return torch.nn.BatchNorm1d(width, eps=NORM_EPSILON, affine=False)
