"""Run the epochs of a training so that a killed job goes on after its last finished epoch."""

import logging
import random
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
import torch

from scripts.lib.files import atomic_path
from scripts.lib.seeding import digest_of

logger = logging.getLogger(__name__)


class Task(Protocol):
    """What a training has to offer: its state, and one epoch at a time."""

    def state_dict(self) -> dict[str, Any]:
        """Return everything the next epoch depends on (weights, optimiser, schedule)."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Train one epoch (counted from 1) and return the figures of its loss curve."""

    def model(self) -> dict[str, Any]:
        """Return what using the trained model needs."""


def fit(task: Task, *, epochs: int, seed: int, checkpoint: Path, fingerprint: str) -> pd.DataFrame:
    """Train until `epochs` are done and return the loss curve, one row per epoch.

    A checkpoint is written after each epoch, outside the job's declared output, so that it
    outlives a kill. Global generators are re-seeded per epoch: an interrupted training gives the
    weights of an uninterrupted one.

    Parameters
    ----------
    task
        The training.
    epochs
        How many epochs there are in all.
    seed
        Seed of everything random inside an epoch.
    checkpoint
        File to write after each epoch, and to go on from.
    fingerprint
        Stands for configuration, data and code. A checkpoint with another one is left behind.
    """
    rows: list[dict[str, float]] = []
    seconds = 0.0
    if checkpoint.exists():
        stored = load_state(checkpoint)
        if stored["fingerprint"] == fingerprint:
            task.load_state_dict(stored["task"])
            rows, seconds = stored["curve"], stored["seconds"]
            logger.info("going on after epoch %d of %d from %s", len(rows), epochs, checkpoint)
        else:
            logger.info("starting anew: %s belongs to another configuration", checkpoint)
    for epoch in range(len(rows) + 1, epochs + 1):
        start = time.monotonic()
        seed_everything(seed, "epoch", epoch)
        rows.append({"epoch": epoch, **task.run_epoch(epoch)})
        # Kept here only, for the model card: a curve and a model are the same whenever they are
        # computed.
        seconds += time.monotonic() - start
        state = {"fingerprint": fingerprint, "task": task.state_dict(), "curve": rows}
        save_state(checkpoint, {**state, "seconds": seconds})
        logger.info(" ".join(f"{key} {value:.4g}" for key, value in rows[-1].items()))
    return pd.DataFrame(rows)


def save_state(path: str | Path, state: Mapping[str, Any]) -> None:
    """Write a state whole or not at all, the same bytes for the same state."""
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        # Given a path, torch would store the temporary file's random name inside.
        torch.save(dict(state), stream)


def load_state(path: str | Path) -> dict[str, Any]:
    """Read a state onto the CPU; nothing but plain data and tensors is accepted."""
    return torch.load(path, map_location="cpu", weights_only=True)


def seed_everything(seed: int, *ids: str | int) -> None:
    """Seed the global generators that libraries draw from (dropout, initial weights)."""
    value = digest_of(seed, *ids) % 2**32
    random.seed(value)
    np.random.seed(value)
    torch.manual_seed(value)


def use_threads(threads: int) -> None:
    """Hold torch to the cores of the job and to algorithms that give the same bits each time."""
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)


def device() -> torch.device:
    """Return the first GPU that the job was given, or the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")
