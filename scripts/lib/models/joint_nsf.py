"""Content, pitch and speaker vector to a waveform at once, against discriminators.

The synthesiser of B1.b (VoicePrivacy 2022) and B1 (2024): a neural source-filter generator with
the discriminators of HiFi-GAN, which are discarded after training.
"""

from collections.abc import Mapping
from typing import Any

import torch

from scripts.lib.models.discriminators import (
    Discriminators,
    discriminator_loss,
    generator_loss,
    matching_loss,
    mean_scores,
)
from scripts.lib.models.nsf import Nsf, draw_sources
from scripts.lib.models.spectral_loss import log_power_distance
from scripts.lib.models.training import device, seed_everything
from scripts.lib.models.updates import descend
from scripts.lib.models.wave_training import Batch, Voice, WaveTraining

SPECTRAL_WEIGHT, MATCHING_WEIGHT = 45.0, 2.0


class Training(WaveTraining):
    """One training run: a step of the discriminators, then one of the generator."""

    network_class, frames_are = Nsf, "content"
    draw_sources = staticmethod(draw_sources)

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        seed_everything(self.seed, "initial discriminators")
        self.discriminators = Discriminators(self.config["discriminator_width"]).to(device())
        self.discriminator_optimizer = torch.optim.AdamW(
            self.discriminators.parameters(), weight_decay=self.settings["weight_decay"]
        )
        self.scores: dict[str, float] = {}

    def state_dict(self) -> dict[str, Any]:
        """Return everything the next epoch depends on."""
        return {
            **super().state_dict(),
            "discriminators": self.discriminators.state_dict(),
            "discriminator_optimizer": self.discriminator_optimizer.state_dict(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Take up a state returned by `state_dict`."""
        super().load_state_dict(state)
        self.discriminators.load_state_dict(state["discriminators"])
        self.discriminator_optimizer.load_state_dict(state["discriminator_optimizer"])

    def update(self, batch: Batch, rate: float) -> float:
        """Take one step of each side and return the generator's loss before it."""
        waves, real = self.speak(batch), batch[0].samples
        judged = self.discriminators(real), self.discriminators(waves.detach())
        self.scores = dict(zip(("real_score", "made_score"), map(mean_scores, judged), strict=True))
        self.discriminator_optimizer.zero_grad()
        discriminator_loss(*judged).backward()
        descend(self.discriminator_optimizer, rate, self.settings["gradient_norm"])
        made = self.discriminators(waves)
        with torch.no_grad():
            reference = self.discriminators(real)
        loss = (
            generator_loss(made)
            + MATCHING_WEIGHT * matching_loss(reference, made)
            + SPECTRAL_WEIGHT * _distance(waves, real)
        )
        self.optimizer.zero_grad()
        loss.backward()
        descend(self.optimizer, rate, self.settings["gradient_norm"])
        return float(loss.detach())

    def loss(self, batch: Batch) -> torch.Tensor:
        """Return the spectral error of a batch, which the curve shows."""
        return _distance(self.speak(batch), batch[0].samples)

    def validate(self) -> dict[str, float]:
        """Return the spectral error, and the discriminators' mean judgements of the last batch."""
        return {**super().validate(), **self.scores}


class Synthesizer(Voice):
    """A trained model, ready to speak with any vector."""

    network_class = Nsf
    draw_sources = staticmethod(draw_sources)


def _distance(ours: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    return log_power_distance(ours, theirs, squared=False)
