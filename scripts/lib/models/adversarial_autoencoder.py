"""An autoencoder of speaker vectors that is made to forget whose they are (S1c1, S2c1).

Branches learn to tell speaker, gender and accent from the latent vector, and the reversed gradients
of their losses drive the encoder away from what they find (systems.md 2.11 and 4.13). In three
stages: the autoencoder alone, the branches alone, all together.

Without noise the encoder soon fools its branches with what they are too slow to learn, or they grow
so certain that their gradients vanish; fresh probes then find every speaker. So the decoder hears
the latent vector, whose dimensions have variance 1, under noise, and cannot use what is hidden at
small amplitudes. The branches hear less and less noise, and learn several times per update.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn.functional import cross_entropy, mse_loss

from scripts.lib.embeddings import load_embeddings, stack_embeddings
from scripts.lib.manifest import read_table
from scripts.lib.models.reversal import reversal_strength, reverse_gradient
from scripts.lib.models.training import device, seed_everything
from scripts.lib.models.updates import UpdateTraining, descend
from scripts.lib.seeding import rng_for

logger = logging.getLogger(__name__)

BRANCHES = ("speaker", "gender", "accent")
Batch = list[np.ndarray]


class Autoencoder(nn.Module):
    """Encoder and decoder of one hidden layer each.

    Parameters
    ----------
    dim, hidden, latent
        Dimensions of vectors, hidden layers and latent vectors.
    """

    def __init__(self, dim: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(dim, hidden),
            nn.BatchNorm1d(hidden),
            nn.ReLU(),
            nn.Linear(hidden, latent),
            # Without a learned scale: nothing hides from the branches at a small amplitude.
            nn.BatchNorm1d(latent, affine=False),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, hidden), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Linear(hidden, dim)
        )

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """Rebuild vectors of shape (batch, dim)."""
        return self.decoder(self.encoder(vectors))


class Training(UpdateTraining):
    """One training run.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/autoencoder.
    seed
        Seed of initial weights, batches, noise and of who is held out.
    threads
        Cores of the job.
    features
        Files of `vectors`, and tables of `accents` with columns speaker and accent.
    """

    def __init__(
        self,
        utterances: pd.DataFrame,
        config: Mapping,
        seed: int,
        threads: int,
        features: Mapping[str, Sequence[str]],
    ):
        alone, adversary = config["autoencoder_updates"], config["adversary"]
        if alone + adversary["branch_updates"] >= config["updates"]:
            raise ValueError(
                f"updates: {config['updates']} leave none for all together after "
                f"autoencoder_updates, {alone}, and branch_updates, {adversary['branch_updates']}"
            )
        vectors = stack_embeddings(load_embeddings(features["vectors"]), utterances["utterance"])
        held_out = _held_out(utterances["speaker"], config["validation_speakers"], seed)
        learned = vectors[~held_out]
        # One scale for all dimensions: errors in each count as they do in the vectors.
        self.mean = learned.mean(axis=0, dtype=np.float64)
        self.scale = float(np.sqrt(np.mean([row.var(dtype=np.float64) for row in learned.T])))
        self.train, self.valid = (
            torch.from_numpy(((part - self.mean) / self.scale).astype(np.float32)).to(device())
            for part in (learned, vectors[held_out])
        )
        labels = _labels(utterances[~held_out], features.get("accents", ()), adversary["weights"])
        self.labels = {name: codes.to(device()) for name, codes in labels.items()}
        self._losses: dict[str, list[float]] = {name: [] for name in labels}
        seed_everything(seed, "initial weights")
        self.autoencoder = Autoencoder(vectors.shape[1], config["hidden"], config["latent"])
        self.branches = nn.ModuleDict(
            {
                name: nn.Sequential(
                    nn.Linear(config["latent"], adversary["width"]),
                    nn.ReLU(),
                    nn.Linear(adversary["width"], int(codes.max()) + 1),
                )
                for name, codes in labels.items()
            }
        )
        network = nn.ModuleDict({"autoencoder": self.autoencoder, "branches": self.branches})
        super().__init__(network, config, seed)
        self.class_weights = {name: _balance(codes) for name, codes in self.labels.items()}
        # Decay draws an autoencoder that may say nothing to the mean; branches keep their edge.
        self.optimizer = torch.optim.AdamW(
            [
                {"params": list(self.autoencoder.parameters())},
                {"params": list(self.branches.parameters()), "weight_decay": 0.0},
            ],
            weight_decay=self.settings["weight_decay"],
        )

    def batch(self, rng: np.random.Generator) -> Batch:
        """Return the entries of this update, and those of each further step of the branches."""
        size = min(self.config["batch"], len(self.train))
        count = self.config["adversary"]["steps"] if self.labels else 1
        return [rng.choice(len(self.train), size, replace=False) for _ in range(count)]

    def update(self, batch: Batch, rate: float) -> float:
        """Let the branches learn ahead when all learn together, then take one step."""
        if self._stage() == "together":
            self.autoencoder.eval()
            for entries in batch[1:]:
                with torch.no_grad():
                    latent = self.autoencoder.encoder(self.train[entries])
                self.optimizer.zero_grad()
                self._branch_loss(latent, entries).backward()
                descend(self.optimizer, rate, self.settings["gradient_norm"])
            self.autoencoder.train()
        return super().update(batch, rate)

    def loss(self, batch: Batch) -> torch.Tensor:
        """Return what the stage is about: rebuilding, telling, or both against each other."""
        entries, stage = batch[0], self._stage()
        vectors = self.train[entries]
        if stage == "branches":
            # In evaluation, so that its running statistics stay what they are.
            self.autoencoder.eval()
            with torch.no_grad():
                latent = self.autoencoder.encoder(vectors)
            return self._branch_loss(latent, entries)
        self.autoencoder.train()
        latent = self.autoencoder.encoder(vectors)
        rebuilt = self.autoencoder.decoder(_noisy(latent, self.config["noise"]))
        error = mse_loss(rebuilt, vectors)
        if stage == "autoencoder":
            return error
        strength = reversal_strength(self._progress(), self.config["adversary"]["strength"])
        # Only the branches see what is reversed; the decoder goes on with the latent itself.
        return error + self._branch_loss(reverse_gradient(latent, strength), entries)

    def validate(self) -> dict[str, float]:
        """Return figures of held-out speakers, and the branches' losses on those they learn."""
        mean = torch.from_numpy(self.mean).to(self.valid)
        rebuilt, vectors = (
            part * self.scale + mean for part in (self.autoencoder(self.valid), self.valid)
        )
        cosines = torch.cosine_similarity(rebuilt, vectors, dim=1)
        spread = rebuilt.var(dim=0).sum() / vectors.var(dim=0).sum()
        losses, self._losses = self._losses, {name: [] for name in self._losses}
        return {
            "valid_cosine": float(cosines.mean()),
            "valid_spread": float(spread),
            **{
                f"train_{name}_loss": float(np.mean(values)) if values else float("nan")
                for name, values in losses.items()
            },
        }

    def model(self) -> dict[str, Any]:
        """Return encoder and decoder as layers `affine`, the first and third followed by a ReLU."""
        layers = self.autoencoder.cpu().eval()
        first, second = layers.encoder, layers.decoder
        into = (torch.from_numpy(self.mean), self.scale)
        pairs = [
            _unscaled(_folded(first[0], first[1]), *into),
            _folded(first[3], first[4]),
            _folded(second[0], second[1]),
            _rescaled(_folded(second[3]), *into),
        ]
        return {"layers": [{"weight": w, "bias": b} for w, b in pairs]}

    def _stage(self) -> str:
        alone = self.config["autoencoder_updates"]
        if self.step < alone or not self.labels:
            return "autoencoder"
        ahead = alone + self.config["adversary"]["branch_updates"]
        return "branches" if self.step < ahead else "together"

    def _progress(self) -> float:
        """Return how much of the last stage is done, 0 before it."""
        before = self.config["autoencoder_updates"] + self.config["adversary"]["branch_updates"]
        return max(0.0, (self.step - before) / (self.config["updates"] - before))

    def _branch_loss(self, latent: torch.Tensor, entries: np.ndarray) -> torch.Tensor:
        heard = _noisy(latent, self.config["noise"] * (1 - self._progress()))
        total = torch.zeros((), device=latent.device)
        for name, branch in self.branches.items():
            wanted = self.labels[name][entries]
            loss = cross_entropy(branch(heard), wanted, weight=self.class_weights[name])
            self._losses[name].append(float(loss.detach()))
            total = total + self.config["adversary"]["weights"][name] * loss
        return total


def _held_out(speakers: pd.Series, count: int, seed: int) -> np.ndarray:
    names = sorted(set(speakers))
    if len(names) < count + 2:
        raise ValueError(
            f"validation_speakers: {count} of {len(names)} speakers leave fewer than two to learn"
        )
    chosen = rng_for(seed, "validation").choice(names, count, replace=False)
    return speakers.isin(chosen).to_numpy()


def _labels(
    utterances: pd.DataFrame, accents: Sequence[str], weights: Mapping[str, float]
) -> dict[str, torch.Tensor]:
    """Return the classes of each branch that counts and has at least two."""
    known = {"speaker": utterances["speaker"], "gender": utterances["gender"]}
    rows = pd.concat([read_table(file) for file in accents]) if accents else pd.DataFrame()
    of_speaker = dict(zip(rows["speaker"], rows["accent"], strict=True)) if len(rows) else {}
    known["accent"] = utterances["speaker"].map(of_speaker)
    found = {}
    for name in BRANCHES:
        if not weights[name]:
            continue
        if known[name].isna().any() or known[name].nunique() < 2:
            logger.info("no branch for the %s: not all training speakers have one of several", name)
            continue
        found[name] = torch.from_numpy(pd.factorize(known[name], sort=True)[0])
    return found


def _balance(codes: torch.Tensor) -> torch.Tensor:
    """Return weights by which every class counts the same, 1 on average."""
    counts = torch.bincount(codes).float()
    return len(codes) / (len(counts) * counts)


def _noisy(latent: torch.Tensor, amount: float) -> torch.Tensor:
    return latent + amount * torch.randn_like(latent) if amount else latent


def _folded(
    linear: nn.Linear, norm: nn.BatchNorm1d | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return weight and bias of a layer and the normalisation behind it, in double precision."""
    weight, bias = linear.weight.detach().double(), linear.bias.detach().double()
    if norm is None:
        return weight, bias
    gain = 1 / torch.sqrt(norm.running_var.double() + norm.eps)
    if norm.affine:
        gain = gain * norm.weight.detach().double()
    shift = norm.bias.detach().double() if norm.affine else 0.0
    return weight * gain[:, None], (bias - norm.running_mean.double()) * gain + shift


def _unscaled(
    layer: tuple[torch.Tensor, torch.Tensor], mean: torch.Tensor, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a layer of scaled vectors as one of raw vectors."""
    weight = layer[0] / scale
    return weight, layer[1] - weight @ mean


def _rescaled(
    layer: tuple[torch.Tensor, torch.Tensor], mean: torch.Tensor, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a layer that gives scaled vectors as one that gives raw vectors."""
    return layer[0] * scale, layer[1] * scale + mean
