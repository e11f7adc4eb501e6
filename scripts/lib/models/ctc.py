"""Acoustic model of a recogniser by connectionist temporal classification (CTC).

Network: a TDNN-F over log-mel features that scores characters, phones or pieces of words. Its
sizes and its training are settings, so that the demo's recogniser and one for a large corpus are
two configuration entries.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn.functional import ctc_loss
from torch.nn.utils.rnn import pad_sequence

from scripts.lib.models.batch_parts import BatchParts
from scripts.lib.models.batching import Frames, bucketed_batches, mask_features
from scripts.lib.models.logmel import FRAME_SHIFT_S, FeatureStore, log_mel
from scripts.lib.models.tdnnf import Tdnnf
from scripts.lib.models.training import device, load_state, seed_everything
from scripts.lib.models.units import make_units, stored_units
from scripts.lib.seeding import rng_for

# The learning rate starts and ends at this share of its peak.
LOWEST_RATE = 0.01


class AcousticModel(nn.Module):
    """Features to log-posteriors of units.

    Parameters
    ----------
    config
        Entry of config/asr.
    units
        How many units there are, the blank included.
    """

    def __init__(self, config: Mapping, units: int):
        super().__init__()
        self.trunk = Tdnnf(config["features"]["mel_bins"], **config["network"])
        self.output = nn.Linear(config["network"]["width"], units)

    def forward(self, features: torch.Tensor, layout: Frames) -> tuple[torch.Tensor, Frames]:
        """Map (frames, mel_bins) to (fewer frames, units) and their layout."""
        hidden, layout = self.trunk(features, layout)
        return self.output(hidden).log_softmax(dim=1), layout


class Training:
    """One training run of an acoustic model, epoch by epoch.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/asr.
    seed
        Seed of initial weights, batches and masks.
    threads
        Cores of the job.
    """

    def __init__(self, utterances: pd.DataFrame, config: Mapping, seed: int, threads: int):
        self.config, self.settings, self.seed = config, config["training"], seed
        self.units = make_units(config["units"], utterances["text"])
        self.units.check(utterances, origin="training data")
        self.names = list(utterances["utterance"])
        self.targets = [torch.tensor(self.units.encode(text)) for text in utterances["text"]]
        self.store = FeatureStore(
            list(utterances["path"]),
            config["features"],
            speeds=self.settings["speeds"],
            threads=threads,
        )
        self._check_lengths()
        seed_everything(seed, "initial weights")
        self.network = AcousticModel(config, len(self.units.vocabulary)).to(device())
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), weight_decay=self.settings["weight_decay"]
        )
        self.step = 0
        self.parts = BatchParts()

    def state_dict(self) -> dict[str, Any]:
        """Return everything the next epoch depends on."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "parts": self.parts.count,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.parts.count = state["step"], state["parts"]

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Train on every utterance once per speed; return the mean loss of a unit."""
        self.network.train()
        batches = bucketed_batches(
            self.store.lengths(),
            frames_per_batch=round(self.settings["batch_s"] / FRAME_SHIFT_S),
            seed=self.seed,
            epoch=epoch,
        )
        loss, units = 0.0, 0
        for place, batch in enumerate(batches):
            rate = learning_rate(
                epoch - 1 + place / len(batches),
                peak=self.settings["learning_rate"],
                warmup=self.settings["warmup_epochs"],
                epochs=self.config["epochs"],
            )
            targets = [self.targets[self.store.keys[entry][0]] for entry in batch]
            batch_loss = self._train_batch([self._masked(e, epoch) for e in batch], targets, rate)
            if not math.isfinite(batch_loss):
                raise ValueError(f"the loss is {batch_loss} in epoch {epoch}; lower the rate")
            loss += batch_loss
            units += sum(map(len, targets))
        return {"learning_rate": rate, "train_loss": loss / units}

    def model(self) -> dict[str, Any]:
        """Return what `Recognizer` needs."""
        weights = {key: value.cpu() for key, value in self.network.state_dict().items()}
        return {"config": dict(self.config), "units": self.units.state(), "weights": weights}

    def _train_batch(
        self, features: Sequence[torch.Tensor], targets: Sequence[torch.Tensor], rate: float
    ) -> float:
        units = sum(map(len, targets))

        def loss_of(part: slice) -> tuple[torch.Tensor, None]:
            return self._loss(features[part], targets[part]) / units, None

        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss, _ = self.parts.backward(self.optimizer, len(targets), loss_of)
        nn.utils.clip_grad_norm_(self.network.parameters(), self.settings["gradient_norm"])
        self.optimizer.step()
        self.step += 1
        if self.step % self.settings["constraint_steps"] == 0:
            self.network.trunk.constrain()
        return loss * units

    def _loss(
        self, features: Sequence[torch.Tensor], targets: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        layout = Frames([len(frames) for frames in features], device())
        scores, layout = self.network(torch.cat(features).to(device()), layout)
        # CTC's kernel for GPUs adds in no fixed order. On the CPU it does, and it is cheap there
        # beside the network.
        return ctc_loss(
            pad_sequence(scores.cpu().split(layout.lengths)),
            torch.cat(list(targets)),
            torch.tensor(layout.lengths),
            torch.tensor([len(target) for target in targets]),
            reduction="sum",
        )

    def _masked(self, entry: int, epoch: int) -> torch.Tensor:
        number, speed = self.store.keys[entry]
        rng = rng_for(self.seed, "masks", epoch, self.names[number], f"{speed}")
        return torch.from_numpy(mask_features(self.store[entry], self.settings["masks"], rng))

    def _check_lengths(self) -> None:
        """Refuse a text that cannot be said in its recording: its loss would be infinite."""
        step = self.config["network"]["subsampling"]
        for (number, _), frames in zip(self.store.keys, self.store.lengths(), strict=True):
            target = self.targets[number]
            # Between two equal units there has to be a blank.
            needed = len(target) + int((target[1:] == target[:-1]).sum())
            if -(-frames // step) < needed:
                raise ValueError(
                    f"utterance {self.names[number]}: its text takes {needed} steps of {step} "
                    f"frames, but it has {frames} frames; correct the text or lower `subsampling`"
                )


class Recognizer:
    """A trained model, ready to listen.

    Parameters
    ----------
    path
        File written from `Training.model`.
    """

    def __init__(self, path: str | Path):
        stored = load_state(path)
        self.units = stored_units(stored["units"])
        self.features: Mapping = stored["config"]["features"]
        self.network = AcousticModel(stored["config"], len(self.units.vocabulary))
        self.network.load_state_dict(stored["weights"])
        self.network.to(device()).eval()

    @torch.inference_mode()
    def log_posteriors(self, samples: np.ndarray) -> np.ndarray:
        """Return the log-posteriors of one recording, of shape (frames, units)."""
        features = log_mel(samples, self.features).to(device())
        scores, _ = self.network(features, Frames([len(features)], device()))
        return scores.cpu().numpy()


def learning_rate(done: float, *, peak: float, warmup: float, epochs: float) -> float:
    """Return the rate after `done` epochs: a straight rise, then a fall along half a cosine.

    Examples
    --------
    >>> [round(learning_rate(t, peak=1.0, warmup=2, epochs=6), 4) for t in (0, 1, 2, 4, 6)]
    [0.01, 0.505, 1.0, 0.505, 0.01]
    """
    if done < warmup:
        share = done / warmup
    else:
        share = 0.5 + 0.5 * math.cos(math.pi * (done - warmup) / (epochs - warmup))
    return peak * (LOWEST_RATE + (1 - LOWEST_RATE) * share)
