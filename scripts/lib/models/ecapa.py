"""ECAPA-TDNN speaker embeddings, trained with an additive angular margin.

Network, features and loss are SpeechBrain's; sizes and schedule are settings, so that the recipe of
VoicePrivacy 2024 and an attacker for two cores are two configuration entries.
"""

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from speechbrain.lobes.features import Fbank
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN, Classifier
from speechbrain.nnet.losses import AdditiveAngularMargin, LogSoftmaxWrapper

from scripts.lib.audio import RATE_HZ
from scripts.lib.manifest import named
from scripts.lib.models.batch_parts import BatchParts
from scripts.lib.models.crops import VALIDATION, Crops, list_crops, validation_utterances
from scripts.lib.models.gpus import over_gpus
from scripts.lib.models.training import device, load_state, seed_everything
from scripts.lib.seeding import rng_for


class Extractor(torch.nn.Module):
    """Waveforms of shape (batch, samples) to embeddings of shape (batch, dim)."""

    def __init__(self, config: Mapping):
        super().__init__()
        width = config["channels"]
        self.features = Fbank(sample_rate=RATE_HZ, n_mels=config["mel_bins"])
        self.network = ECAPA_TDNN(
            config["mel_bins"],
            channels=[width, width, width, width, 3 * width],
            attention_channels=config["attention"],
            se_channels=config["attention"],
            lin_neurons=config["embedding"],
        )

    def forward(self, waveforms: torch.Tensor, kept: torch.Tensor | None = None) -> torch.Tensor:
        """Return one embedding per waveform.

        Parameters
        ----------
        waveforms
            Shape (batch, samples).
        kept
            Factors of the features, of shape (batch, frames, mel_bins): zeros hide some of them.
        """
        features = self.features(waveforms)
        features = features - features.mean(dim=1, keepdim=True)
        return self.network(features if kept is None else features * kept).squeeze(1)


class Training:
    """One training run of an extractor, epoch by epoch.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/asv.
    seed
        Seed of initial weights, validation split, crops and order.
    threads
        Cores of the job; more than two, or any beside a GPU, also read audio in parallel.
    """

    def __init__(self, utterances: pd.DataFrame, config: Mapping, seed: int, threads: int):
        self.config, self.seed, self.threads = config, seed, threads
        crops = list_crops(utterances, config)
        held_out = validation_utterances(utterances, crops, config["validation"], seed)
        is_validation = crops["utterance"].isin(held_out)
        self.train_crops, self.valid_crops = crops[~is_validation], crops[is_validation]
        lost = sorted(set(utterances["speaker"]) - set(self.train_crops["speaker"]))
        if lost:
            raise ValueError(
                f"{named(lost, 'speaker')} without a training utterance of {config['crop_s']} s; "
                "choose a shorter crop_s or leave the speakers out of the training data"
            )
        # A short recording may have no crop at a higher speed: one voice less to tell apart.
        self.speakers = sorted(self.train_crops["voice"].unique())
        if self.valid_crops.empty:
            raise ValueError(
                "no utterance is left for validation: every voice has one that is long enough"
            )
        seed_everything(seed, "initial weights")
        self.extractor = Extractor(config).to(device())
        self.shared_extractor = over_gpus(self.extractor)
        self.classifier = Classifier(config["embedding"], out_neurons=len(self.speakers))
        self.classifier.to(device())
        self.loss = LogSoftmaxWrapper(AdditiveAngularMargin(config["margin"], config["scale"]))
        parameters = [*self.extractor.parameters(), *self.classifier.parameters()]
        self.optimizer = torch.optim.Adam(parameters, weight_decay=config["weight_decay"])
        self.step = 0
        # Batch normalisation cannot train on a single crop.
        self.parts = BatchParts(smallest=2)
        self.schedule = dict(config["schedule"])
        if "step_epochs" in self.schedule:
            steps = len(self.train_crops) / config["batch"]
            self.schedule["step_size"] = math.ceil(steps * self.schedule.pop("step_epochs"))

    def state_dict(self) -> dict[str, Any]:
        """Return everything the next epoch depends on."""
        return {
            "extractor": self.extractor.state_dict(),
            "classifier": self.classifier.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "parts": self.parts.count,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        self.extractor.load_state_dict(state["extractor"])
        self.classifier.load_state_dict(state["classifier"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.parts.count = state["step"], state["parts"]

    def start_from(self, model: Mapping[str, Any]) -> None:
        """Take up the extractor of a model returned by `model`; the classifier stays new."""
        self.extractor.load_state_dict(model["weights"])

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Train on every crop once, each at a new random place of its utterance."""
        self.extractor.train()
        self.classifier.train()
        order = rng_for(self.seed, "order", epoch).permutation(len(self.train_crops))
        total, hits = 0.0, 0
        for batch in self._batches(self.train_crops.iloc[order], f"epoch {epoch}"):
            self.step += 1
            for group in self.optimizer.param_groups:
                group["lr"] = triangular_rate(self.step, **self.schedule)
            loss, hit = self._train_batch(*batch)
            if not math.isfinite(loss):
                raise ValueError(f"the loss is {loss} in epoch {epoch}; lower the rate")
            total += loss * len(batch[-1])
            hits += hit
        return {
            "learning_rate": self.optimizer.param_groups[0]["lr"],
            "train_loss": total / len(self.train_crops),
            "train_accuracy": hits / len(self.train_crops),
            **self._validate(),
        }

    def model(self) -> dict[str, Any]:
        """Return what `Embedder` needs."""
        weights = {key: value.cpu() for key, value in self.extractor.state_dict().items()}
        return {"config": dict(self.config), "weights": weights}

    def _train_batch(
        self, waveforms: torch.Tensor, kept: torch.Tensor, labels: torch.Tensor
    ) -> tuple[float, int]:
        """Take one step; return the mean loss of a crop and how many were recognised."""

        def loss_of(part: slice) -> tuple[torch.Tensor, int]:
            loss, hits = self._recognize(waveforms[part], kept[part], labels[part])
            return loss * len(labels[part]) / len(labels), hits

        loss, hits = self.parts.backward(self.optimizer, len(labels), loss_of)
        self.optimizer.step()
        return loss, sum(hits)

    def _recognize(
        self, waveforms: torch.Tensor, kept: torch.Tensor, labels: torch.Tensor
    ) -> tuple[torch.Tensor, int]:
        waveforms, kept, labels = (item.to(device()) for item in (waveforms, kept, labels))
        outputs = self.classifier(self.shared_extractor(waveforms, kept).unsqueeze(1))
        hits = int((outputs.squeeze(1).argmax(dim=1) == labels).sum())
        return self.loss(outputs, labels.unsqueeze(1)), hits

    @torch.inference_mode()
    def _validate(self) -> dict[str, float]:
        self.extractor.eval()
        self.classifier.eval()
        loss, hits = 0.0, 0
        for batch in self._batches(self.valid_crops, VALIDATION):
            batch_loss, hit = self._recognize(*batch)
            loss += float(batch_loss) * len(batch[-1])
            hits += hit
        count = len(self.valid_crops)
        return {"valid_loss": loss / count, "valid_accuracy": hits / count}

    def _batches(self, crops: pd.DataFrame, purpose: str) -> Iterator[list[torch.Tensor]]:
        """Yield waveforms, factors of their features, and labels."""
        index = {speaker: number for number, speaker in enumerate(self.speakers)}
        dataset = Crops(crops, index, self.config, self.seed, purpose)
        # On one or two cores a reading process would only take time from a network on the CPU.
        apart = self.threads > 2 or device().type == "cuda"
        workers = self.threads - 1 if apart else 0
        loader = torch.utils.data.DataLoader(dataset, self.config["batch"], num_workers=workers)
        for batch in loader:
            # Nor on a last batch of one, as here: that crop waits for another epoch.
            if len(batch[-1]) > 1 or purpose == VALIDATION:
                yield batch


class Embedder:
    """A trained model, ready to embed recordings.

    Parameters
    ----------
    path
        File written from `Training.model`.
    """

    def __init__(self, path: str | Path):
        stored = load_state(path)
        self.extractor = Extractor(stored["config"]).to(device())
        self.extractor.load_state_dict(stored["weights"])
        self.extractor.eval()

    @torch.inference_mode()
    def embed(self, samples: np.ndarray) -> np.ndarray:
        """Return the embedding of a whole recording, of shape (dim,).

        The peak is scaled to one and exact zeros at both ends are stripped, as in 2024. One
        recording at a time: padding to a common length would change embeddings.
        """
        heard = np.flatnonzero(samples)
        if len(heard) == 0:
            raise ValueError("nothing but zeros; an attacker cannot hear anybody")
        voiced = samples[heard[0] : heard[-1] + 1]
        waveform = torch.from_numpy(voiced / np.abs(voiced).max())
        return self.extractor(waveform[None].to(device()))[0].cpu().numpy()


def triangular_rate(step: int, *, base: float, maximum: float, step_size: int) -> float:
    """Return the learning rate of a step, counted from 1.

    Examples
    --------
    >>> [triangular_rate(n, base=0.0, maximum=1.0, step_size=2) for n in (1, 2, 3, 4, 5)]
    [0.5, 1.0, 0.5, 0.0, 0.5]
    """
    position = abs((step / step_size) % 2 - 1)
    return base + (maximum - base) * (1 - position)
