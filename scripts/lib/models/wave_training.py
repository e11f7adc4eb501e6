"""What trainings of networks that speak samples share: data, normalised conditions, crops."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn

from scripts.lib.frames import BANDS
from scripts.lib.models.prediction import predictor
from scripts.lib.models.speech_frames import Crop, SpeechFrames, as_batch
from scripts.lib.models.training import device, seed_everything
from scripts.lib.models.updates import UpdateTraining
from scripts.lib.seeding import rng_for

# Held-out utterances and their longest stretch behind the figures of a loss curve.
VALIDATED, VALIDATED_FRAMES = 16, 100
Batch = tuple[Crop, torch.Tensor, torch.Tensor]
Draw = Callable[[torch.Tensor, np.random.Generator], tuple[torch.Tensor, torch.Tensor]]


class Conditions(nn.Module):
    """Mean and spread of frames and vectors, and both put together.

    Parameters
    ----------
    sizes
        Dimensions of a `frame` (log-mel or content) and of a `vector`, which may be 0.
    """

    def __init__(self, sizes: Mapping[str, int]):
        super().__init__()
        for name in ("frame", "vector"):
            self.register_buffer(f"{name}_mean", torch.zeros(sizes[name]))
            self.register_buffer(f"{name}_spread", torch.ones(sizes[name]))

    def forward(self, frames: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
        """Return normalised frames with the vector beside each, shape (batch, frames, both)."""
        frames = (frames - self.frame_mean) / self.frame_spread
        vectors = (vectors - self.vector_mean) / self.vector_spread
        return torch.cat([frames, vectors[:, None].expand(-1, frames.shape[1], -1)], dim=2)


class WaveTraining(UpdateTraining):
    """One training run of a network that speaks; subclasses say which.

    A subclass names its `network_class`, built from the entry and `sizes`, with `conditions`; what
    its frames are, `mel` or `content`; and a function that draws its two sources.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/vocoder or config/acoustic.
    seed
        Seed of initial weights, validation split, crops and noise.
    threads
        Cores of the job.
    features
        Files of `pitch`, and of `content`, `vectors` and `acoustic` as far as the entry names them.
    """

    network_class: type[nn.Module]
    frames_are: str
    draw_sources: Draw

    def __init__(
        self,
        utterances: pd.DataFrame,
        config: Mapping,
        seed: int,
        threads: int,
        features: Mapping[str, Sequence[str]],
    ):
        predict = predictor(features.get("acoustic"))
        self.data = SpeechFrames(utterances, features, config, seed, threads, predict)
        found = self.data.sizes
        self.with_vector = "vectors" in config
        self.sizes = {
            "frame": BANDS if self.frames_are == "mel" else found["content"],
            "vector": found["vector"] if self.with_vector else 0,
        }
        seed_everything(seed, "initial weights")
        network = self.network_class(config, self.sizes)
        conditions = network.conditions
        conditions.frame_mean, conditions.frame_spread = self.data.moments(self.frames_are)
        if self.with_vector:
            conditions.vector_mean, conditions.vector_spread = self.data.moments("vectors")
        super().__init__(network, config, seed)

    def batch(self, rng: np.random.Generator) -> Batch:
        """Draw crops on frame boundaries, and the sources of each."""
        crop = self.data.draw(rng, self.config["batch"], self.config["crop_frames"], whole=True)
        return crop, *self.draw_sources(crop.f0, rng)

    def speak(self, batch: Batch) -> torch.Tensor:
        """Return the waveforms that the network makes of a batch."""
        crop, *sources = batch
        vectors = crop.vectors if self.with_vector else crop.vectors[:, :0]
        return self.network(getattr(crop, self.frames_are), crop.f0, vectors, *sources)

    def validate(self) -> dict[str, float]:
        """Return the loss of the same crops with the same noise each time."""
        crop, _ = self.data.validation(VALIDATED, VALIDATED_FRAMES, whole=True)
        sources = self.draw_sources(crop.f0, rng_for(self.seed, "validation noise"))
        return {"valid_loss": float(self.loss((crop, *sources)))}

    def model(self) -> dict[str, Any]:
        """Return what a `Voice` needs."""
        return {**super().model(), "sizes": self.sizes}


class Voice:
    """A trained network, ready to speak; subclasses name the same things as its training.

    Parameters
    ----------
    state
        What the training's `model` returned.
    config
        The entry.
    """

    network_class: type[nn.Module]
    draw_sources: Draw

    def __init__(self, state: Mapping[str, Any], config: Mapping):
        self.with_vector = state["sizes"]["vector"] > 0
        self.network = self.network_class(config, state["sizes"])
        self.network.load_state_dict(state["weights"])
        self.network.to(device()).eval()

    @torch.inference_mode()
    def wave(
        self,
        frames: np.ndarray,
        f0: np.ndarray,
        vector: np.ndarray | None,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Return speech of shape (160 frames,), float32.

        Parameters
        ----------
        frames, f0, vector
            Shapes (frames, dim), (frames,) and (dim,); the last only matters to a network that
            was trained with vectors.
        rng
            Generator of noise and phases.
        """
        inputs = as_batch(frames, f0, vector if self.with_vector else np.zeros(0))
        return self.network(*inputs, *self.draw_sources(inputs[1], rng))[0].cpu().numpy()
