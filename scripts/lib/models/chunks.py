"""Chunks of voiced frames to train an x-vector network on, drawn as Kaldi's recipe draws them."""

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from scripts.lib.audio import read_audio
from scripts.lib.manifest import named
from scripts.lib.models.frame_store import FrameStore, in_parallel
from scripts.lib.models.mfcc import voiced_cepstra
from scripts.lib.seeding import rng_for

logger = logging.getLogger(__name__)


class Batch(NamedTuple):
    """Chunks of shape (batch, cepstra, frames) and the numbers of their speakers."""

    chunks: torch.Tensor
    labels: torch.Tensor


class Chunks:
    """Batches of chunks, the same for a seed whatever the number of threads.

    All chunks of a batch have one length, drawn between the limits. Every speaker is drawn equally
    often, or as often as his or her speech is long; of each speaker, long utterances more often.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/asv.
    seed
        Seed of the validation split and of what is drawn.
    threads
        How many files are read at a time.
    """

    def __init__(self, utterances: pd.DataFrame, config: Mapping, seed: int, threads: int):
        self.limits, self.batch, self.seed = config["chunk_frames"], config["batch"], seed
        self.balance = config["balance"]
        rows = list(utterances[["utterance", "path"]].itertuples(index=False))
        self._store = FrameStore(
            in_parallel(lambda row: _features(*row, config["features"]), rows, threads),
            config["features"]["cepstra"],
        )
        table = utterances[["utterance", "speaker"]].reset_index(drop=True)
        used = _long_enough(
            table.assign(frames=self._store.lengths()),
            longest=self.limits["maximum"],
            fewest=config["min_utterances"],
        )
        self.speakers = sorted(used["speaker"].unique())
        held_out = used.index.isin(_validation_rows(used, config["validation"], seed))
        self._train, self._valid = used[~held_out], used[held_out]
        mean = (self.limits["minimum"] + self.limits["maximum"]) / 2
        self.steps = math.ceil(self._train["frames"].sum() / mean / self.batch)

    def epoch(self, number: int) -> Iterator[Batch]:
        """Yield `steps` batches: together about as many frames as there are."""
        own = dict(list(self._train.groupby("speaker")["frames"]))
        drawn = self._drawn_speakers(own, rng_for(self.seed, "speakers", number))
        for step in range(self.steps):
            rng = rng_for(self.seed, "chunks", number, step)
            low, high = self.limits["minimum"], self.limits["maximum"]
            length = int(rng.integers(low, high, endpoint=True))
            speakers = drawn[step * self.batch : (step + 1) * self.batch]
            places = []
            for speaker in speakers:
                frames = own[speaker]
                index = rng.choice(frames.index, p=frames / frames.sum())
                start = int(rng.integers(0, frames[index] - length, endpoint=True))
                places.append((int(index), start))
            yield self._stack(places, speakers, length)

    def validation(self) -> Iterator[Batch]:
        """Yield the longest chunk from the middle of every held-out utterance."""
        length = self.limits["maximum"]
        for first in range(0, len(self._valid), self.batch):
            rows = self._valid.iloc[first : first + self.batch]
            places = [(row.Index, (row.frames - length) // 2) for row in rows.itertuples()]
            yield self._stack(places, rows["speaker"].tolist(), length)

    def _drawn_speakers(self, own: Mapping[str, pd.Series], rng: np.random.Generator) -> np.ndarray:
        """Return the speaker of each chunk of an epoch."""
        count = self.steps * self.batch
        if self.balance == "speakers":
            rounds = math.ceil(count / len(self.speakers))
            return np.concatenate([rng.permutation(self.speakers) for _ in range(rounds)])
        frames = np.array([own[speaker].sum() for speaker in self.speakers])
        return rng.choice(self.speakers, count, p=frames / frames.sum())

    def _stack(
        self, places: Sequence[tuple[int, int]], speakers: Sequence[str], length: int
    ) -> Batch:
        pieces = [self._store.piece(index, start, length) for index, start in places]
        labels = np.searchsorted(self.speakers, speakers)
        return Batch(torch.from_numpy(np.stack(pieces)).transpose(1, 2), torch.from_numpy(labels))


def _features(utterance: str, path: str, features: Mapping) -> np.ndarray:
    try:
        return voiced_cepstra(read_audio(path), features)
    except ValueError as error:
        raise ValueError(f"utterance {utterance}, {path}: {error}") from error


def _long_enough(utterances: pd.DataFrame, *, longest: int, fewest: int) -> pd.DataFrame:
    """Leave out short utterances, then speakers with few others."""
    used = utterances[utterances["frames"] > longest]
    counts = used["speaker"].value_counts()
    used = used[used["speaker"].isin(counts[counts >= fewest].index)]
    logger.info("%d of %d utterances are used", len(used), len(utterances))
    lost = sorted(set(utterances["speaker"]) - set(used["speaker"]))
    if lost:
        logger.warning(
            "left out: %s with fewer than %d utterances of more than %d voiced frames",
            named(lost, "speaker"),
            fewest,
            longest,
        )
    if used["speaker"].nunique() < 2 or not used["speaker"].duplicated().any():
        raise ValueError(
            f"hardly any speaker has {fewest} utterances of more than {longest} voiced frames; "
            "choose a smaller chunk_frames.maximum or min_utterances"
        )
    return used


def _validation_rows(used: pd.DataFrame, share: float, seed: int) -> pd.Index:
    """Draw utterances to validate on, never the last one of a speaker."""
    order = rng_for(seed, "validation").permutation(len(used))
    shuffled = used.sort_values("utterance").iloc[order]
    spare = shuffled[shuffled.duplicated("speaker")]
    return spare.index[: max(1, round(share * len(used)))]
