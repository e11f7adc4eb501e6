"""Classify the emotion of an utterance by kernel ridge regression on statistics of its prosody.

A convex problem with one exact solution: on a few hundred utterances it does better than a small
network and takes a second. Classes count alike, however many utterances they have.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch.nn.functional import one_hot

from scripts.lib.audio import read_audio
from scripts.lib.emotions import Fold
from scripts.lib.manifest import EMOTIONS
from scripts.lib.prosody import prosody_statistics


class Recordings:
    """Statistics of the utterances of a manifest, each read once."""

    def __init__(self, utterances: pd.DataFrame, config: Mapping):
        rows = [prosody_statistics(read_audio(path)) for path in utterances["path"]]
        self.statistics = torch.from_numpy(np.stack(rows))
        labels = [EMOTIONS.index(emotion) for emotion in utterances["emotion"]]
        self.labels = torch.tensor(labels)


class Training:
    """One fold's training: a single epoch, which solves for the weights of all utterances.

    Parameters
    ----------
    recordings
        Statistics and labels of the whole dataset.
    fold
        Which utterances to train on, and which to develop on.
    config
        Entry of config/ser.
    seed
        Not used: there is nothing random.
    """

    def __init__(self, recordings: Recordings, fold: Fold, config: Mapping, seed: int) -> None:
        self.recordings, self.fold, self.config = recordings, fold, config
        self.solution: dict[str, torch.Tensor] = {}

    def state_dict(self) -> dict[str, Any]:
        """Return the solution, empty before the epoch."""
        return dict(self.solution)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        self.solution = dict(state)

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Solve (K + penalty / weight) a = targets, a class's weights adding up to its share."""
        rows = self.recordings.statistics[self.fold.train]
        labels = self.recordings.labels[self.fold.train]
        mean, deviation = rows.mean(dim=0), rows.std(dim=0).clamp(min=1e-9)
        support = (rows - mean) / deviation
        counts = torch.bincount(labels, minlength=len(EMOTIONS)).double()
        weights = len(labels) / (len(EMOTIONS) * counts[labels])
        targets = 2.0 * one_hot(labels, len(EMOTIONS)).double() - 1.0
        kernel = _kernel(support, support, self.config["kernel_scale"])
        ridge = torch.diag(self.config["penalty"] / weights)
        self.solution = {
            "mean": mean,
            "deviation": deviation,
            "support": support,
            "coefficients": torch.linalg.solve(kernel + ridge, targets),
        }
        parts = {"train": self.fold.train, "valid": self.fold.dev}
        return {
            f"{name}_accuracy": self._accuracy(chosen) for name, chosen in parts.items() if chosen
        }

    def model(self) -> dict[str, Any]:
        """Return what `classify` needs."""
        return dict(self.solution)

    def _accuracy(self, chosen: Sequence[int]) -> float:
        predicted = _predict(self.recordings, chosen, self.solution, self.config)
        return float((predicted == self.recordings.labels[chosen]).double().mean())


def classify(
    recordings: Recordings, chosen: Sequence[int], model: Mapping, config: Mapping
) -> list[str]:
    """Return the most likely class of each chosen utterance."""
    return [EMOTIONS[number] for number in _predict(recordings, chosen, model, config).tolist()]


def _predict(
    recordings: Recordings, chosen: Sequence[int], model: Mapping, config: Mapping
) -> torch.Tensor:
    rows = (recordings.statistics[list(chosen)] - model["mean"]) / model["deviation"]
    kernel = _kernel(rows, model["support"], config["kernel_scale"])
    return (kernel @ model["coefficients"]).argmax(dim=1)


def _kernel(left: torch.Tensor, right: torch.Tensor, scale: float) -> torch.Tensor:
    """Return exp(-scale · mean squared difference) of each pair of rows."""
    return torch.exp(-scale / left.shape[1] * torch.cdist(left, right) ** 2)
