"""What is said, frame by frame: the bottleneck of an end-to-end recogniser (VoicePrivacy's M1).

A BLSTM and a narrow projection, from which CTC and an attention decoder have to spell the text.
Where the settings say so, training sees every n-th frame only, from a random one of the first n on;
to extract, the same weights read each of these n series by itself, so that there is a vector
every 10 ms.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn.functional import pad

from scripts.lib.frames import BANDS
from scripts.lib.models.attention_decoder import UNUSED, AttentionDecoder, spelling_loss
from scripts.lib.models.content_speech import (
    Batch,
    ContentSpeech,
    ctc_loss_of_unit,
    greedy_units,
    normalised_mel,
    unit_error_rate,
)
from scripts.lib.models.lstm import Lstm, inside, padded
from scripts.lib.models.training import device, seed_everything
from scripts.lib.models.units import stored_units
from scripts.lib.models.updates import UpdateTraining


class Recogniser(nn.Module):
    """Features to content, and content to units in two ways.

    Parameters
    ----------
    network
        `context`, `step`, `layers`, `width`, `content`, `dropout` and `decoder` of an entry of
        config/content.
    units
        How many units there are, the blank included.
    """

    def __init__(self, network: Mapping, units: int) -> None:
        super().__init__()
        self.reach, self.step = network["context"], network["step"]
        self.encoder = Lstm(
            BANDS * (2 * self.reach + 1),
            network["width"],
            network["layers"],
            both_ways=True,
            dropout=network["dropout"],
        )
        self.dropout = nn.Dropout(network["dropout"])
        self.narrow = nn.Linear(self.encoder.width, network["content"], bias=False)
        # Without a learned scale: each dimension of the content has variance 1.
        self.norm = nn.BatchNorm1d(network["content"], affine=False)
        self.output = nn.Linear(network["content"], units)
        self.decoder = AttentionDecoder(network["content"], units, network["decoder"])

    def encode(
        self, utterances: Sequence[torch.Tensor], phase: int
    ) -> tuple[torch.Tensor, list[int]]:
        """Return the content of every n-th frame from `phase` on, end to end, and its lengths.

        Parameters
        ----------
        utterances
            Features of shape (frames, 80) each.
        phase
            First frame that is seen.
        """
        series = [self._spliced(features)[phase :: self.step] for features in utterances]
        return self._content(series), [len(frames) for frames in series]

    def content(self, features: torch.Tensor) -> torch.Tensor:
        """Return the content of one utterance at every frame, shape (frames, content)."""
        phases = range(min(self.step, len(features)))
        spliced, places = self._spliced(features), torch.arange(len(features))
        found = self._content([spliced[phase :: self.step] for phase in phases])
        rows = torch.cat([places[phase :: self.step] for phase in phases]).to(features.device)
        return torch.empty_like(found).index_copy(0, rows, found)

    def scores(self, content: torch.Tensor) -> torch.Tensor:
        """Return log-posteriors of units for CTC."""
        return self.output(content).log_softmax(dim=1)

    def spell(
        self, content: torch.Tensor, lengths: Sequence[int], targets: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the decoder's scores of each unit, and the right ones."""
        return self.decoder(*padded(content.split(list(lengths))), targets)

    def _spliced(self, features: torch.Tensor) -> torch.Tensor:
        """Set each frame between its neighbours, which are zero beyond the ends."""
        wide = pad(features, (0, 0, self.reach, self.reach))
        places = range(2 * self.reach + 1)
        return torch.cat([wide[first : first + len(features)] for first in places], dim=1)

    def _content(self, series: Sequence[torch.Tensor]) -> torch.Tensor:
        frames, lengths = padded(series)
        hidden = self.encoder(frames, lengths)[inside(lengths, frames.shape[1])]
        return self.norm(self.narrow(self.dropout(hidden)))


class Training(UpdateTraining):
    """One training run of an end-to-end recogniser.

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
        step = config["network"]["step"]
        self.speech = ContentSpeech(utterances, config, seed, threads, step=step)
        seed_everything(seed, "initial weights")
        self.recogniser = Recogniser(config["network"], len(self.speech.units.vocabulary))
        super().__init__(self.trained_network(), config, seed)

    def trained_network(self) -> nn.Module:
        """Return everything that learns."""
        return self.recogniser

    def batch(self, rng: np.random.Generator) -> tuple[Batch, int]:
        """Return the utterances of this update, and the first frame that is seen of them."""
        return self.speech.batch(self.step), int(rng.integers(self.recogniser.step))

    def loss(self, batch: tuple[Batch, int]) -> torch.Tensor:
        """Return the loss of a unit, CTC and decoder together."""
        speech, phase = batch
        content, lengths = self.recogniser.encode(speech.features, phase)
        return self.recognition_loss(content, lengths, speech.targets)

    def recognition_loss(
        self, content: torch.Tensor, lengths: Sequence[int], targets: Sequence[torch.Tensor]
    ) -> torch.Tensor:
        """Return how badly units are recognised from content."""
        weight = self.settings["ctc_weight"]
        by_ctc = ctc_loss_of_unit(self.recogniser.scores(content), lengths, targets)
        by_decoder = spelling_loss(*self.recogniser.spell(content, lengths, targets))
        return weight * by_ctc.to(by_decoder.device) + (1 - weight) * by_decoder

    def validate(self) -> dict[str, float]:
        """Return the share of wrong units by CTC, and of right ones by the decoder.

        CTC takes the best unit of each frame; the decoder is told the right units before each.
        """
        references, found, hits, total = [], [], 0, 0
        for batch in self.speech.validation():
            content, lengths = self.recogniser.encode(batch.features, 0)
            references.append(batch.targets[0].tolist())
            found.append(greedy_units(self.recogniser.scores(content)))
            scores, expected = self.recogniser.spell(content, lengths, batch.targets)
            hits += int((scores.argmax(dim=2) == expected).sum())
            total += int((expected != UNUSED).sum())
        return {
            "valid_unit_error": unit_error_rate(references, found),
            "valid_decoder_accuracy": hits / total,
        }

    def model(self) -> dict[str, Any]:
        """Return what `Extractor` needs."""
        weights = {key: value.cpu() for key, value in self.recogniser.state_dict().items()}
        units = self.speech.units.state()
        return {"config": dict(self.config), "weights": weights, "units": units}


class Extractor:
    """A trained recogniser whose inside says what is said.

    Parameters
    ----------
    state
        What `Training.model` returned.
    config
        Entry of config/content.
    """

    def __init__(self, state: Mapping[str, Any], config: Mapping) -> None:
        self.units = stored_units(state["units"])
        self.recogniser = Recogniser(config["network"], len(self.units.vocabulary))
        self.recogniser.load_state_dict(state["weights"])
        self.recogniser.to(device()).eval()

    @torch.inference_mode()
    def features(self, samples: np.ndarray) -> np.ndarray:
        """Return the content of a recording, float32 of shape (T, content)."""
        mel = torch.from_numpy(normalised_mel(samples)).to(device())
        return self.recogniser.content(mel).cpu().numpy()

    @torch.inference_mode()
    def spell(self, samples: np.ndarray) -> list[str]:
        """Return the units that are heard, by CTC's best one of each frame that is seen."""
        mel = torch.from_numpy(normalised_mel(samples)).to(device())
        content, _ = self.recogniser.encode([mel], 0)
        heard = greedy_units(self.recogniser.scores(content))
        return [self.units.vocabulary[unit] for unit in heard]
