"""ECAPA-TDNN speaker embeddings, trained with an additive angular margin.

Network, features and loss are SpeechBrain's; sizes and schedule are settings, so that the recipe of
VoicePrivacy 2024 and an attacker for two cores are two configuration entries.
"""

import logging
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import soundfile
import torch
from speechbrain.lobes.features import Fbank
from speechbrain.lobes.models.ECAPA_TDNN import ECAPA_TDNN, Classifier
from speechbrain.nnet.losses import AdditiveAngularMargin, LogSoftmaxWrapper

from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.manifest import named
from scripts.lib.models.training import device, load_state, seed_everything
from scripts.lib.seeding import rng_for

logger = logging.getLogger(__name__)


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

    def forward(self, waveforms: torch.Tensor) -> torch.Tensor:
        """Return one embedding per waveform."""
        features = self.features(waveforms)
        return self.network(features - features.mean(dim=1, keepdim=True)).squeeze(1)


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
        Cores of the job; more than two also read audio in parallel.
    """

    def __init__(self, utterances: pd.DataFrame, config: Mapping, seed: int, threads: int):
        self.config, self.seed, self.threads = config, seed, threads
        self.speakers = sorted(utterances["speaker"].unique())
        crops = _list_crops(utterances, config)
        held_out = _validation_utterances(utterances, config["validation"], seed)
        is_validation = crops["utterance"].isin(held_out)
        self.train_crops, self.valid_crops = crops[~is_validation], crops[is_validation]
        lost = sorted(set(self.speakers) - set(self.train_crops["speaker"]))
        if lost:
            raise ValueError(
                f"{named(lost, 'speaker')} without a training utterance of {config['crop_s']} s; "
                "choose a shorter crop_s or leave the speakers out of the training data"
            )
        seed_everything(seed, "initial weights")
        self.extractor = Extractor(config).to(device())
        self.classifier = Classifier(config["embedding"], out_neurons=len(self.speakers))
        self.classifier.to(device())
        self.loss = LogSoftmaxWrapper(AdditiveAngularMargin(config["margin"], config["scale"]))
        parameters = [*self.extractor.parameters(), *self.classifier.parameters()]
        self.optimizer = torch.optim.Adam(parameters, weight_decay=config["weight_decay"])
        self.step = 0
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
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        self.extractor.load_state_dict(state["extractor"])
        self.classifier.load_state_dict(state["classifier"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Train on every crop once, each at a new random place of its utterance."""
        self.extractor.train()
        self.classifier.train()
        order = rng_for(self.seed, "order", epoch).permutation(len(self.train_crops))
        losses, hits = [], 0
        for waveforms, labels in self._batches(self.train_crops.iloc[order], f"epoch {epoch}"):
            self.step += 1
            for group in self.optimizer.param_groups:
                group["lr"] = triangular_rate(self.step, **self.schedule)
            self.optimizer.zero_grad()
            outputs = self.classifier(self.extractor(waveforms).unsqueeze(1))
            loss = self.loss(outputs, labels.unsqueeze(1))
            if not torch.isfinite(loss):
                raise ValueError(f"the loss is {loss.item()} in epoch {epoch}; lower the rate")
            loss.backward()
            self.optimizer.step()
            losses.append(float(loss.detach()) * len(labels))
            hits += int((outputs.squeeze(1).argmax(dim=1) == labels).sum())
        return {
            "learning_rate": self.optimizer.param_groups[0]["lr"],
            "train_loss": sum(losses) / len(self.train_crops),
            "train_accuracy": hits / len(self.train_crops),
            **self._validate(),
        }

    def model(self) -> dict[str, Any]:
        """Return what `Embedder` needs."""
        weights = {key: value.cpu() for key, value in self.extractor.state_dict().items()}
        return {"config": dict(self.config), "weights": weights}

    @torch.inference_mode()
    def _validate(self) -> dict[str, float]:
        self.extractor.eval()
        self.classifier.eval()
        loss, hits = 0.0, 0
        for waveforms, labels in self._batches(self.valid_crops, "validation"):
            outputs = self.classifier(self.extractor(waveforms).unsqueeze(1))
            loss += float(self.loss(outputs, labels.unsqueeze(1))) * len(labels)
            hits += int((outputs.squeeze(1).argmax(dim=1) == labels).sum())
        count = len(self.valid_crops)
        return {"valid_loss": loss / count, "valid_accuracy": hits / count}

    def _batches(self, crops: pd.DataFrame, purpose: str) -> torch.utils.data.DataLoader:
        index = {speaker: number for number, speaker in enumerate(self.speakers)}
        dataset = _Crops(crops, index, self.config["crop_s"], self.seed, purpose)
        # On one or two cores a reading process would only take time from the network.
        workers = self.threads - 1 if self.threads > 2 else 0
        loader = torch.utils.data.DataLoader(dataset, self.config["batch"], num_workers=workers)
        for waveforms, labels in loader:
            # Batch normalisation cannot train on a single crop.
            if len(labels) > 1 or purpose == "validation":
                yield waveforms.to(device()), labels.to(device())


class _Crops(torch.utils.data.Dataset):
    """Random crops, each drawn from its own generator, so that loaders may share the work."""

    def __init__(self, crops: pd.DataFrame, index: dict, crop_s: float, seed: int, purpose: str):
        self.rows = list(crops.itertuples())
        self.index, self.seed, self.purpose = index, seed, purpose
        self.length = round(crop_s * RATE_HZ)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> tuple[np.ndarray, int]:
        row = self.rows[number]
        rng = rng_for(self.seed, self.purpose, row.utterance, row.window)
        start = int(rng.integers(0, row.samples - self.length, endpoint=True))
        samples, _ = soundfile.read(row.path, self.length, start, dtype="float32")
        return samples, self.index[row.speaker]


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


def _list_crops(utterances: pd.DataFrame, config: Mapping) -> pd.DataFrame:
    """List one crop per whole window of an utterance that is not quiet."""
    length = round(config["crop_s"] * RATE_HZ)
    rows = []
    for row in utterances.itertuples():
        samples = read_audio(row.path)
        for window in range(len(samples) // length):
            loudness = np.abs(samples[window * length : (window + 1) * length]).mean()
            if loudness >= config["quiet"]:
                rows.append((row.utterance, row.speaker, row.path, len(samples), window))
    columns = ["utterance", "speaker", "path", "samples", "window"]
    crops = pd.DataFrame(rows, columns=columns)
    left_out = sorted(set(utterances["utterance"]) - set(crops["utterance"]))
    if left_out:
        logger.warning("too short or too quiet for a crop: %s", named(left_out))
    return crops


def _validation_utterances(utterances: pd.DataFrame, share: float, seed: int) -> set[str]:
    names = sorted(utterances["utterance"])
    count = max(1, round(share * len(names)))
    return set(rng_for(seed, "validation").choice(names, count, replace=False))
