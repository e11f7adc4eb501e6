"""What acoustic models share: normalised inputs and outputs, their loss, and their use."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn

from scripts.lib.frames import BANDS
from scripts.lib.models.speech_frames import Crop, SpeechFrames, as_batch, pitch_inputs
from scripts.lib.models.training import device, seed_everything
from scripts.lib.models.updates import UpdateTraining

# Held-out utterances and their longest stretch behind the figures of a loss curve.
VALIDATED, VALIDATED_FRAMES = 64, 400


class Normalizer(nn.Module):
    """Mean and spread of what goes into an acoustic model and comes out of it.

    Parameters
    ----------
    sizes
        Dimensions of `content` and `vector`.
    with_pitch
        Whether the model takes the pitch.
    """

    def __init__(self, sizes: Mapping[str, int], with_pitch: bool):
        super().__init__()
        self.with_pitch = with_pitch
        for name, size in {**sizes, "mel": BANDS}.items():
            self.register_buffer(f"{name}_mean", torch.zeros(size))
            self.register_buffer(f"{name}_spread", torch.ones(size))

    def measure(self, data: SpeechFrames) -> None:
        """Take mean and spread of the training data."""
        for name, of in (("content", "content"), ("vector", "vectors"), ("mel", "mel")):
            mean, spread = data.moments(of)
            setattr(self, f"{name}_mean", mean)
            setattr(self, f"{name}_spread", spread)

    def frames(self, content: torch.Tensor, f0: torch.Tensor) -> torch.Tensor:
        """Return what the model sees of each frame."""
        content = (content - self.content_mean) / self.content_spread
        return torch.cat([content, pitch_inputs(f0)], dim=-1) if self.with_pitch else content

    def vectors(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return what the model sees of the speaker.

        An average of vectors is not stretched to their length: it lies nearer to the mean.
        """
        return (vectors - self.vector_mean) / self.vector_spread

    def mel(self, mel: torch.Tensor) -> torch.Tensor:
        """Return log-mel as the model is to predict it."""
        return (mel - self.mel_mean) / self.mel_spread

    def true_mel(self, mel: torch.Tensor) -> torch.Tensor:
        """Return log-mel from what the model predicts."""
        return mel * self.mel_spread + self.mel_mean


def input_size(sizes: Mapping[str, int], config: Mapping) -> int:
    """Return how many numbers a model sees of each frame."""
    return sizes["content"] + (2 if "pitch" in config else 0)


class MelTraining(UpdateTraining):
    """One training run of an acoustic model; subclasses name its `network_class`.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/acoustic.
    seed
        Seed of initial weights, validation split and crops.
    threads
        Cores of the job.
    features
        Files of `content`, `vectors` and, if the entry names it, `pitch`.
    """

    network_class: type[nn.Module]

    def __init__(
        self,
        utterances: pd.DataFrame,
        config: Mapping,
        seed: int,
        threads: int,
        features: Mapping[str, Sequence[str]],
    ):
        self.data = SpeechFrames(utterances, features, config, seed, threads)
        seed_everything(seed, "initial weights")
        network = self.network_class(config, self.data.sizes)
        network.normalizer.measure(self.data)
        super().__init__(network, config, seed)

    def batch(self, rng: np.random.Generator) -> Crop:
        """Draw crops; short utterances are filled up."""
        return self.data.draw(rng, self.config["batch"], self.config["crop_frames"], whole=False)

    def validate(self) -> dict[str, float]:
        """Return the mean absolute error of normalised log-mel, with right and wrong vectors.

        A model that ignores the vector has the same error with both.
        """
        crop, wrong = self.data.validation(VALIDATED, VALIDATED_FRAMES, whole=False)
        target = self.network.normalizer.mel(crop.mel)
        errors = {}
        for name, vectors in (("valid_l1", crop.vectors), ("valid_l1_wrong_vector", wrong)):
            predicted = self.network.predict(crop.content, crop.f0, vectors, crop.inside)
            errors[name] = float((predicted - target).abs()[crop.inside].mean())
        return errors

    def model(self) -> dict[str, Any]:
        """Return what a `Synthesizer` needs."""
        return {**super().model(), "sizes": self.data.sizes}


class MelSynthesizer:
    """A trained acoustic model; subclasses name its `network_class`.

    Parameters
    ----------
    state
        What the training's `model` returned.
    config
        Entry of config/acoustic.
    """

    network_class: type[nn.Module]

    def __init__(self, state: Mapping[str, Any], config: Mapping):
        self.network = self.network_class(config, state["sizes"])
        self.network.load_state_dict(state["weights"])
        self.network.to(device()).eval()

    @torch.inference_mode()
    def mel(self, content: np.ndarray, f0: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """Return log-mel of shape (frames, 80), float32.

        Parameters
        ----------
        content, f0, vector
            Shapes (frames, dim), (frames,) and (dim,); a model without pitch ignores the second.
        """
        inside = torch.ones(1, len(content), dtype=torch.bool, device=device())
        mel = self.network.predict(*as_batch(content, f0, vector), inside)
        return self.network.normalizer.true_mel(mel)[0].cpu().numpy()
