"""What is said, frame by frame: the bottleneck of a TDNN-F that learned to recognise speech.

In training all layers but the first see every third frame, from a random one of the first three
on. To extract, the same weights see all three thirds, so that there is a vector every 10 ms.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn

from scripts.lib.frames import BANDS
from scripts.lib.models.batching import Frames
from scripts.lib.models.content_speech import (
    Batch,
    ContentSpeech,
    ctc_loss_of_unit,
    greedy_units,
    normalised_mel,
    unit_error_rate,
)
from scripts.lib.models.tdnnf import Tdnnf, TdnnfLayer
from scripts.lib.models.training import device, seed_everything
from scripts.lib.models.units import stored_units
from scripts.lib.models.updates import UpdateTraining

# Every how many frames of 10 ms the slow layers have one.
STEP = 3


class ContentNetwork(nn.Module):
    """Features to content and to log-posteriors of units.

    Parameters
    ----------
    network
        `width`, `inner`, `fast`, `slow`, `content`, `after`, `dropout`, `bypass` of an entry of
        config/content.
    units
        How many units there are, the blank included.
    """

    def __init__(self, network: Mapping, units: int) -> None:
        super().__init__()
        width, inner = network["width"], network["inner"]
        common = {"dropout": network["dropout"], "bypass": network["bypass"]}
        self.fast = Tdnnf(
            BANDS,
            width=width,
            bottleneck=inner,
            context=1,
            strides=network["fast"],
            subsampling=1,
            **common,
        )
        self.slow, self.after = (
            nn.ModuleList(TdnnfLayer(width, inner, stride, **common) for stride in network[part])
            for part in ("slow", "after")
        )
        self.narrow = nn.Linear(width, network["content"], bias=False)
        # Without a learned scale: each dimension of the content has variance 1.
        self.norm = nn.BatchNorm1d(network["content"], affine=False)
        self.widen = nn.Linear(network["content"], width)
        self.output = nn.Linear(width, units)

    def forward(
        self, features: torch.Tensor, layout: Frames, phase: int
    ) -> tuple[torch.Tensor, Frames]:
        """Map (frames, 80) to log-posteriors of every third frame from `phase` on."""
        frames, _ = self.fast(features, layout)
        rows, thinned = thirds(layout, [phase])
        content = self._content(frames[rows], thinned)
        hidden = self.widen(content)
        for layer in self.after:
            hidden = layer(hidden, thinned)
        return self.output(hidden).log_softmax(dim=1), thinned

    def content(self, features: torch.Tensor) -> torch.Tensor:
        """Return the content of one utterance at every frame, shape (frames, content)."""
        layout = Frames([len(features)], features.device)
        frames, _ = self.fast(features, layout)
        rows, thinned = thirds(layout, range(min(STEP, len(features))))
        found = self._content(frames[rows], thinned)
        return torch.empty_like(found).index_copy(0, rows, found)

    def constrain(self) -> None:
        """Move every factored layer a step towards semi-orthogonality."""
        self.fast.constrain()
        for layer in (*self.slow, *self.after):
            layer.constrain()

    def _content(self, frames: torch.Tensor, layout: Frames) -> torch.Tensor:
        for layer in self.slow:
            frames = layer(frames, layout)
        return self.norm(self.narrow(frames))


def thirds(layout: Frames, phases: range | list[int]) -> tuple[torch.Tensor, Frames]:
    """Return the rows of every third frame of each utterance from each phase on, and their layout.

    Examples
    --------
    >>> rows, thinned = thirds(Frames([4, 5]), [1])
    >>> rows.tolist(), thinned.lengths
    ([1, 5, 8], [1, 2])
    >>> thirds(Frames([4]), range(3))[0].tolist()
    [0, 3, 1, 2]
    """
    starts = np.cumsum([0, *layout.lengths[:-1]]).tolist()
    pieces = [
        torch.arange(start + phase, start + length, STEP)
        for start, length in zip(starts, layout.lengths, strict=True)
        for phase in phases
    ]
    return torch.cat(pieces).to(layout.device), Frames([len(p) for p in pieces], layout.device)


class Training(UpdateTraining):
    """One training run of a content extractor.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/content.
    seed
        Seed of initial weights, batches, masks and phases.
    threads
        Cores of the job.
    """

    def __init__(self, utterances: pd.DataFrame, config: Mapping, seed: int, threads: int):
        self.speech = ContentSpeech(utterances, config, seed, threads, step=STEP)
        seed_everything(seed, "initial weights")
        network = ContentNetwork(config["network"], len(self.speech.units.vocabulary))
        super().__init__(network, config, seed)

    def batch(self, rng: np.random.Generator) -> tuple[Batch, int]:
        """Return the utterances of this update, and the phase of its slow frames."""
        return self.speech.batch(self.step), int(rng.integers(STEP))

    def loss(self, batch: tuple[Batch, int]) -> torch.Tensor:
        """Return the CTC loss of a unit."""
        speech, phase = batch
        layout = Frames([len(frames) for frames in speech.features], device())
        scores, layout = self.network(torch.cat(speech.features), layout, phase)
        return ctc_loss_of_unit(scores, layout.lengths, speech.targets)

    def update(self, batch: tuple[Batch, int], rate: float) -> float:
        """Take one step, and every few steps one towards semi-orthogonality."""
        loss = super().update(batch, rate)
        if (self.step + 1) % self.settings["constraint_updates"] == 0:
            self.network.constrain()
        return loss

    def validate(self) -> dict[str, float]:
        """Return the share of wrong units, by the best unit of each frame."""
        references, found = [], []
        for batch in self.speech.validation():
            features = batch.features[0]
            scores, _ = self.network(features, Frames([len(features)], device()), 0)
            references.append(batch.targets[0].tolist())
            found.append(greedy_units(scores))
        return {"valid_unit_error": unit_error_rate(references, found)}

    def model(self) -> dict[str, Any]:
        """Return what `Extractor` needs."""
        return {**super().model(), "units": self.speech.units.state()}


class Extractor:
    """A trained network that says what is said.

    Parameters
    ----------
    state
        What `Training.model` returned.
    config
        Entry of config/content.
    """

    def __init__(self, state: Mapping[str, Any], config: Mapping) -> None:
        self.units = stored_units(state["units"])
        self.network = ContentNetwork(config["network"], len(self.units.vocabulary))
        self.network.load_state_dict(state["weights"])
        self.network.to(device()).eval()

    @torch.inference_mode()
    def features(self, samples: np.ndarray) -> np.ndarray:
        """Return the content of a recording, float32 of shape (T, content)."""
        mel = torch.from_numpy(normalised_mel(samples)).to(device())
        return self.network.content(mel).cpu().numpy()

    @torch.inference_mode()
    def spell(self, samples: np.ndarray) -> list[str]:
        """Return the units that are heard, by the best one of each third frame."""
        mel = torch.from_numpy(normalised_mel(samples)).to(device())
        scores, _ = self.network(mel, Frames([len(mel)], device()), 0)
        return [self.units.vocabulary[unit] for unit in greedy_units(scores)]
