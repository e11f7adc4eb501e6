"""Classify the emotion of an utterance with a pretrained speech encoder and one linear layer.

The recipe of SpeechBrain for IEMOCAP, which the 2024 challenge uses: wav2vec2, output normalised
over the utterance, mean over time, a linear layer without bias. Utterances go through the network
one by one, in training, too, and their gradients add up over a batch. SpeechBrain pads batches,
and its normalisations then see the padding; here no result depends on the company in a batch.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import torch
from speechbrain.nnet.schedulers import NewBobScheduler
from torch import nn
from torch.nn.functional import cross_entropy, layer_norm
from transformers import AutoConfig, AutoFeatureExtractor, AutoModel

from scripts.lib.audio import read_audio
from scripts.lib.emotions import Fold
from scripts.lib.manifest import EMOTIONS
from scripts.lib.models.fold_checkpoints import read_fold_checkpoint
from scripts.lib.models.training import device, seed_everything
from scripts.lib.seeding import rng_for


class Recordings:
    """The utterances of a manifest, read when they are needed."""

    def __init__(self, utterances: pd.DataFrame, config: Mapping):
        self.paths = utterances["path"].tolist()
        self.labels = [EMOTIONS.index(emotion) for emotion in utterances["emotion"]]

    def samples(self, number: int) -> torch.Tensor:
        """Return the waveform of one utterance, shape (1, n)."""
        return torch.from_numpy(read_audio(self.paths[number]))[None].to(device())


class Network(nn.Module):
    """One waveform of shape (1, n) to one logit per class, shape (1, classes).

    Parameters
    ----------
    encoder
        A model of the family of wav2vec2.
    normalize
        Whether the encoder expects waveforms of mean 0 and variance 1.
    """

    def __init__(self, encoder: nn.Module, *, normalize: bool):
        super().__init__()
        self.encoder, self.normalize = encoder, normalize
        self.head = nn.Linear(encoder.config.hidden_size, len(EMOTIONS), bias=False)

    def forward(self, samples: torch.Tensor) -> torch.Tensor:
        """Encode, normalise over time and dimensions, average over time, classify."""
        if self.normalize:
            samples = layer_norm(samples, samples.shape[1:])
        encoded = self.encoder(samples).last_hidden_state
        return self.head(layer_norm(encoded, encoded.shape[1:]).mean(dim=1))

    def description(self) -> dict[str, Any]:
        """Return architecture and weights as plain data, from which `rebuilt` makes it again."""
        return {
            "architecture": self.encoder.config.to_json_string(use_diff=False),
            "normalize": self.normalize,
            "weights": {key: value.cpu() for key, value in self.state_dict().items()},
        }


class Training:
    """One fold's training; the epoch with the lowest error on the development speakers counts.

    Parameters
    ----------
    recordings
        The whole dataset.
    fold
        Which utterances to train and to develop on.
    config
        Entry of config/ser.
    seed
        Seed of the linear layer, of dropout and of the order.
    """

    def __init__(self, recordings: Recordings, fold: Fold, config: Mapping, seed: int) -> None:
        if not fold.dev:
            raise ValueError("a fold has no development utterances to choose the epoch by")
        self.recordings, self.fold, self.config, self.seed = recordings, fold, config, seed
        seed_everything(seed, "initial weights")
        self.network = pretrained_network(config["model"]).to(device())
        if config["freeze_convolutions"]:
            self.network.encoder.freeze_feature_encoder()
        rates = {"head": config["learning_rate"], "encoder": config["encoder_learning_rate"]}
        self.optimizer = torch.optim.Adam(
            [
                {"params": list(_trained(getattr(self.network, name))), "lr": rate}
                for name, rate in rates.items()
            ]
        )
        annealing = config["annealing"]
        self.schedules = [
            NewBobScheduler(
                rate,
                annealing_factor=annealing["factor"],
                improvement_threshold=annealing["threshold"],
            )
            for rate in rates.values()
        ]
        self.best: dict[str, Any] = {"error": float("inf"), "epoch": 0, "model": {}}

    def state_dict(self) -> dict[str, Any]:
        """Return everything the next epoch depends on."""
        return {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "errors": self.schedules[0].metric_values,
            "best": self.best,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        for schedule in self.schedules:
            for error in state["errors"]:
                schedule(error)
        self.best = state["best"]

    def run_epoch(self, epoch: int) -> dict[str, float]:
        """Train on every utterance once, then anneal by the error on the development speakers."""
        self.network.train()
        if self.config["freeze_convolutions"]:
            self.network.encoder.feature_extractor.eval()
        order = rng_for(self.seed, "order", epoch).permutation(self.fold.train)
        total = 0.0
        for start in range(0, len(order), self.config["batch"]):
            total += self._step(order[start : start + self.config["batch"]].tolist())
        predicted = _predict(self.network, self.recordings, self.fold.dev)
        truth = [self.recordings.labels[number] for number in self.fold.dev]
        wrong = sum(a != b for a, b in zip(predicted, truth, strict=True)) / len(truth)
        rate = self.optimizer.param_groups[0]["lr"]
        for group, schedule in zip(self.optimizer.param_groups, self.schedules, strict=True):
            _, group["lr"] = schedule(wrong)
        if wrong < self.best["error"]:
            # Copies: training goes on in the network's own tensors.
            model = self.network.description()
            model["weights"] = {key: value.clone() for key, value in model["weights"].items()}
            self.best = {"error": wrong, "epoch": epoch, "model": model}
        return {
            "train_loss": total / len(order),
            "valid_error": wrong,
            "learning_rate": rate,
            "best_epoch": self.best["epoch"],
        }

    def model(self) -> dict[str, Any]:
        """Return the network of the best epoch, which `classify` needs."""
        return self.best["model"]

    def _step(self, batch: Sequence[int]) -> float:
        self.optimizer.zero_grad()
        total = 0.0
        for number in batch:
            logits = self.network(self.recordings.samples(number))
            label = torch.tensor([self.recordings.labels[number]], device=device())
            loss = cross_entropy(logits, label)
            (loss / len(batch)).backward()
            total += float(loss.detach())
        nn.utils.clip_grad_norm_(self.network.parameters(), self.config["gradient_norm"])
        self.optimizer.step()
        return total


def pretrained_network(source: str) -> Network:
    """Return a pretrained encoder, of a directory or of the model hub, with a new linear layer."""
    try:
        encoder = AutoModel.from_pretrained(source)
        features = AutoFeatureExtractor.from_pretrained(source)
    except OSError as error:
        raise ValueError(
            f"model {source!r}: neither a directory in the Hugging Face format nor to be had from "
            f"the model hub ({error}); give the path of a downloaded copy"
        ) from error
    # SpeechBrain leaves the masking of inputs out.
    encoder.config.apply_spec_augment = False
    return Network(encoder, normalize=bool(features.do_normalize))


def finished_model(config: Mapping, fold: int) -> dict[str, Any]:
    """Return the model of one fold that somebody else trained with SpeechBrain.

    Parameters
    ----------
    config
        Entry of config/ser: `model` gives the architecture, `checkpoints` the folder of each fold.
    fold
        Its number.
    """
    network = pretrained_network(config["model"])
    weights = read_fold_checkpoint(config["checkpoints"].format(fold=fold), EMOTIONS)
    try:
        network.encoder.load_state_dict(weights.encoder)
        network.head.load_state_dict({"weight": weights.head})
    except RuntimeError as error:
        raise ValueError(
            f"{weights.folder}: its weights are not of the architecture {config['model']}: {error}"
        ) from error
    return network.description()


def classify(
    recordings: Recordings, chosen: Sequence[int], model: Mapping, config: Mapping
) -> list[str]:
    """Return the most likely class of each chosen utterance."""
    network = rebuilt(model).to(device())
    return [EMOTIONS[number] for number in _predict(network, recordings, chosen)]


def rebuilt(model: Mapping) -> Network:
    """Return a network from its description; neither hub nor directory is asked."""
    encoder = AutoModel.from_config(AutoConfig.for_model(**json.loads(model["architecture"])))
    network = Network(encoder, normalize=model["normalize"])
    network.load_state_dict(model["weights"])
    return network


@torch.inference_mode()
def _predict(network: Network, recordings: Recordings, chosen: Sequence[int]) -> list[int]:
    network.eval()
    return [int(network(recordings.samples(number)).argmax()) for number in chosen]


def _trained(part: nn.Module) -> list[nn.Parameter]:
    return [parameter for parameter in part.parameters() if parameter.requires_grad]
