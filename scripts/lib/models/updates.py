"""Trainings whose length is counted in updates: the loop, the learning rate and the state."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from scripts.lib.models.training import device
from scripts.lib.seeding import rng_for


class UpdateTraining(ABC):
    """One training run; an epoch is `report_updates` updates, after which a checkpoint is written.

    Parameters
    ----------
    network
        What is trained; its initial weights are drawn already.
    config
        `updates`, `report_updates` and `training`: `learning_rate`, `warmup`, `last_rate`,
        `weight_decay`, `gradient_norm`.
    seed
        Seed of what each update draws.
    """

    def __init__(self, network: torch.nn.Module, config: Mapping, seed: int):
        self.config, self.settings, self.seed = config, config["training"], seed
        self.network = network.to(device())
        self.optimizer = torch.optim.AdamW(
            network.parameters(), weight_decay=self.settings["weight_decay"]
        )
        self.step = 0

    @abstractmethod
    def batch(self, rng: np.random.Generator) -> Any:
        """Draw what one update learns from."""

    @abstractmethod
    def loss(self, batch: Any) -> torch.Tensor:
        """Return the loss of a batch."""

    @abstractmethod
    def validate(self) -> dict[str, float]:
        """Return figures of utterances that are not trained on."""

    def state_dict(self) -> dict[str, Any]:
        """Return everything the next epoch depends on."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Train for `report_updates` updates, or as many as are left."""
        self.network.train()
        last = min(epoch * self.config["report_updates"], self.config["updates"])
        losses = []
        while self.step < last:
            rate = learning_rate(self.step, self.config["updates"], self.settings)
            losses.append(self.update(self.batch(rng_for(self.seed, "update", self.step)), rate))
            if not math.isfinite(losses[-1]):
                raise ValueError(
                    f"the loss is {losses[-1]} at update {self.step}; lower learning_rate"
                )
            self.step += 1
        self.network.eval()
        with torch.no_grad():
            figures = self.validate()
        return {
            "updates": self.step,
            "learning_rate": rate,
            "train_loss": float(np.mean(losses)),
            **figures,
        }

    def update(self, batch: Any, rate: float) -> float:
        """Take one step and return the loss before it."""
        loss = self.loss(batch)
        self.optimizer.zero_grad()
        loss.backward()
        descend(self.optimizer, rate, self.settings["gradient_norm"])
        return float(loss.detach())

    def model(self) -> dict[str, Any]:
        """Return the trained weights and what they were trained by."""
        weights = {key: value.cpu() for key, value in self.network.state_dict().items()}
        return {"config": dict(self.config), "weights": weights}


def descend(optimizer: torch.optim.Optimizer, rate: float, longest: float) -> None:
    """Take a step along the gradient, which is cut to the length `longest` first."""
    for group in optimizer.param_groups:
        group["lr"] = rate
        torch.nn.utils.clip_grad_norm_(group["params"], longest)
    optimizer.step()


def learning_rate(done: int, updates: int, settings: Mapping) -> float:
    """Return the rate after `done` updates: a straight rise, then a straight fall.

    Examples
    --------
    >>> settings = {"learning_rate": 1.0, "warmup": 2, "last_rate": 0.5}
    >>> [learning_rate(done, 6, settings) for done in (0, 1, 2, 4, 6)]
    [0.5, 1.0, 1.0, 0.75, 0.5]
    """
    warmup = settings["warmup"]
    rise = min(1.0, (done + 1) / warmup) if warmup else 1.0
    gone = max(0, done - warmup) / max(1, updates - warmup)
    return settings["learning_rate"] * rise * (1 - (1 - settings["last_rate"]) * gone)


def epochs_of(config: Mapping) -> int:
    """Return the number of epochs of a training: given, or as its updates make.

    Examples
    --------
    >>> epochs_of({"epochs": 3}), epochs_of({"updates": 250, "report_updates": 100})
    (3, 3)
    """
    if "epochs" in config:
        return config["epochs"]
    return math.ceil(config["updates"] / config["report_updates"])
