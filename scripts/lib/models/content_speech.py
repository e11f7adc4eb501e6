"""Transcribed speech that a content extractor is trained on, and how its features are made."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import jiwer
import numpy as np
import pandas as pd
import torch
from torch.nn.functional import ctc_loss
from torch.nn.utils.rnn import pad_sequence

from scripts.lib.audio import read_audio
from scripts.lib.frames import BANDS, level, log_mel
from scripts.lib.models.batching import bucketed_batches, mask_features
from scripts.lib.models.frame_store import FrameStore, in_parallel
from scripts.lib.models.training import device
from scripts.lib.models.units import Units, make_units
from scripts.lib.seeding import rng_for

FRAMES_PER_S = 100


class Batch(NamedTuple):
    """Utterances to learn from: features of each, unit numbers of each, numbers of speakers."""

    features: list[torch.Tensor]
    targets: list[torch.Tensor]
    speakers: torch.Tensor


class ContentSpeech:
    """Features and unit numbers of all utterances; some speakers are kept for validation.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/content: `units`, `validation_speakers`, `training` with `batch_s`, `warp`,
        `masks` and `masks_from`, and `updates`.
    seed
        Seed of batches, masks, and of who is left out.
    threads
        How many recordings are read at a time.
    step
        Every how many frames units are scored.
    """

    def __init__(
        self, utterances: pd.DataFrame, config: Mapping, seed: int, threads: int, *, step: int
    ) -> None:
        self.config, self.settings, self.seed = config, config["training"], seed
        self.utterances, self.step = utterances, step
        self.names = list(utterances["utterance"])
        paths = list(utterances["path"])

        def extract(index: int) -> np.ndarray:
            try:
                return normalised_mel(read_audio(paths[index]))
            except ValueError as error:
                raise ValueError(f"utterance {self.names[index]}: {error}") from error

        self._store = FrameStore(in_parallel(extract, range(len(paths)), threads), BANDS)
        self.use_units(make_units(config["units"], utterances["text"]))
        held = held_out_speakers(utterances["speaker"], config["validation_speakers"], seed)
        is_held = utterances["speaker"].isin(held).to_numpy()
        self.train, self.valid = np.flatnonzero(~is_held), np.flatnonzero(is_held)
        known = sorted(set(utterances["speaker"][~is_held]))
        self.speakers = len(known)
        numbers = {speaker: number for number, speaker in enumerate(known)}
        self._speaker = [numbers.get(speaker, -1) for speaker in utterances["speaker"]]
        self._round, self._first, self._batches = -1, 0, []

    def use_units(self, units: Units) -> None:
        """Spell all texts in these units."""
        units.check(self.utterances, origin="training data")
        self.units = units
        self.targets = [torch.tensor(units.encode(text)) for text in self.utterances["text"]]
        self._check_lengths()

    def batch(self, update: int) -> Batch:
        """Return what an update learns from; every utterance comes once before one comes again."""
        while update >= self._first + len(self._batches):
            self._first += len(self._batches)
            self._round += 1
            self._batches = bucketed_batches(
                self._store.lengths()[self.train],
                frames_per_batch=round(self.settings["batch_s"] * FRAMES_PER_S),
                seed=self.seed,
                epoch=self._round,
            )
        entries = [int(self.train[place]) for place in self._batches[update - self._first]]
        return self._gather(entries, [self._distorted(entry, update) for entry in entries])

    def validation(self) -> list[Batch]:
        """Return the utterances of held-out speakers, undistorted, one by one."""
        return [self._gather([entry], [self._store[entry]]) for entry in self.valid.tolist()]

    def _gather(self, entries: Sequence[int], features: Sequence[np.ndarray]) -> Batch:
        return Batch(
            features=[torch.from_numpy(frames).to(device()) for frames in features],
            targets=[self.targets[entry] for entry in entries],
            speakers=torch.tensor([self._speaker[entry] for entry in entries], device=device()),
        )

    def _distorted(self, entry: int, update: int) -> np.ndarray:
        rng = rng_for(self.seed, "distortion", update, self.names[entry])
        limit = self.settings["warp"]
        features = warp_bands(self._store[entry], 1.0 + rng.uniform(-limit, limit))
        if update < self.settings["masks_from"] * self.config["updates"]:
            return features
        return mask_features(features, self.settings["masks"], rng)

    def _check_lengths(self) -> None:
        """Refuse a text that cannot be said in its recording: its loss would be infinite."""
        for name, target, frames in zip(
            self.names, self.targets, self._store.lengths().tolist(), strict=True
        ):
            # Between two equal units there has to be a blank. The last phase has the fewest steps.
            needed = len(target) + int((target[1:] == target[:-1]).sum())
            if frames // self.step < needed:
                raise ValueError(
                    f"utterance {name}: its text takes {needed} steps of {self.step} frames of "
                    f"10 ms, but it has {frames} frames; correct the text"
                )


def normalised_mel(samples: np.ndarray) -> np.ndarray:
    """Return log-mel features of levelled speech, each band of mean 0 and variance 1 over time.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(0, 0.1, 16000)
    >>> features = normalised_mel(noise)
    >>> features.shape, bool(np.allclose(features.std(axis=0), 1.0, atol=1e-3))
    ((100, 80), True)
    """
    features = log_mel(level(samples))
    # A band that never moves, as in silence, is 0.
    return (features - features.mean(axis=0)) / np.maximum(features.std(axis=0), 1e-3)


def warp_bands(features: np.ndarray, factor: float) -> np.ndarray:
    """Read band b at place factor · b, as if the vocal tract had another length.

    Examples
    --------
    >>> warp_bands(np.array([[0.0, 1.0, 2.0]]), 1.5).tolist()
    [[0.0, 1.5, 2.0]]
    """
    last = features.shape[1] - 1
    places = np.minimum(np.arange(last + 1) * factor, last)
    below = np.minimum(places.astype(int), last - 1)
    share = (places - below).astype(features.dtype)
    return features[:, below] * (1 - share) + features[:, below + 1] * share


def held_out_speakers(speakers: Sequence[str], count: int, seed: int) -> list[str]:
    """Return `count` speakers, drawn by the seed; at least one has to be left to train on."""
    known = sorted(set(speakers))
    if count >= len(known):
        raise ValueError(
            f"validation_speakers: {count} of {len(known)} training speakers leave none to train on"
        )
    return rng_for(seed, "validation").choice(known, count, replace=False).tolist()


def ctc_loss_of_unit(
    scores: torch.Tensor, lengths: Sequence[int], targets: Sequence[torch.Tensor]
) -> torch.Tensor:
    """Return the CTC loss of a unit, on the CPU.

    Parameters
    ----------
    scores
        Log-posteriors of utterances laid end to end, shape (steps, units).
    lengths
        Steps of each utterance.
    targets
        Unit numbers of each.

    Examples
    --------
    >>> scores = torch.tensor([[0.5, 0.5], [0.25, 0.75]]).log()
    >>> loss = ctc_loss_of_unit(scores, [2], [torch.tensor([1])])
    >>> round(loss.exp().item() ** -1, 4)  # all but two blanks: 1 - 0.5 * 0.25
    0.875
    """
    total = ctc_loss(
        # On the CPU, where it adds in a fixed order.
        pad_sequence(scores.cpu().split(list(lengths))),
        torch.cat(list(targets)),
        torch.tensor(lengths),
        torch.tensor([len(target) for target in targets]),
        reduction="sum",
    )
    return total / sum(map(len, targets))


def greedy_units(scores: torch.Tensor) -> list[int]:
    """Return the best unit of each frame without repetitions and blanks.

    Examples
    --------
    >>> greedy_units(torch.eye(3)[[0, 1, 1, 0, 1, 2]])
    [1, 1, 2]
    """
    return [unit for unit, _ in groupby(scores.argmax(dim=1).tolist()) if unit]


def unit_error_rate(references: Sequence[Sequence[int]], found: Sequence[Sequence[int]]) -> float:
    """Return wrong, missing and surplus units per unit of the references.

    Examples
    --------
    >>> unit_error_rate([[1, 2], [3, 4]], [[1, 2], [3]])
    0.25
    """
    spelled = [[" ".join(map(str, units)) for units in side] for side in (references, found)]
    return jiwer.wer(*spelled)
