"""Cut an epoch into batches of similar length, the same for a seed on any machine.

A batch is its utterances laid end to end, without padding; `Frames` remembers where each begins,
so that no network mixes neighbours and no result depends on who shares a batch.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from scripts.lib.seeding import rng_for


class Frames:
    """Where the utterances of a batch lie in a matrix of frames.

    Parameters
    ----------
    lengths
        Number of frames of each utterance, in order.
    device
        Where masks and row numbers are needed.
    """

    def __init__(self, lengths: Sequence[int], device: torch.device | str = "cpu") -> None:
        self.lengths, self.device = list(lengths), device
        starts = np.cumsum([0, *self.lengths[:-1]])
        self._ends = np.repeat(self.lengths, self.lengths)
        self._positions = np.arange(len(self._ends)) - np.repeat(starts, self.lengths)
        self._masks: dict[int, torch.Tensor] = {}

    def keep_every(self, step: int) -> tuple["Frames", torch.Tensor]:
        """Return the layout and the row numbers of frames 0, step, 2 step … of each utterance.

        Examples
        --------
        >>> kept, rows = Frames([2, 3]).keep_every(2)
        >>> kept.lengths, rows.tolist()
        ([1, 2], [0, 2, 4])
        """
        rows = np.flatnonzero(self._positions % step == 0)
        kept = Frames([-(-length // step) for length in self.lengths], self.device)
        return kept, torch.from_numpy(rows).to(self.device)

    def inside(self, offset: int) -> torch.Tensor:
        """Return 1 for frames whose neighbour at `offset` is in the same utterance, else 0.

        Examples
        --------
        >>> Frames([2, 3]).inside(1)[:, 0].tolist()
        [1.0, 0.0, 1.0, 1.0, 0.0]
        """
        if offset not in self._masks:
            neighbours = self._positions + offset
            inside = (neighbours >= 0) & (neighbours < self._ends)
            mask = torch.from_numpy(inside.astype(np.float32))[:, None]
            self._masks[offset] = mask.to(self.device)
        return self._masks[offset]


def shift(frames: torch.Tensor, offset: int, layout: Frames) -> torch.Tensor:
    """Return each frame's neighbour at `offset`, or zeros beyond its utterance's ends.

    Parameters
    ----------
    frames
        Shape (frames, dim).
    offset
        How many frames ahead (positive) or back.
    layout
        Where the utterances lie.

    Examples
    --------
    >>> rows = torch.tensor([[1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> shift(rows, 1, Frames([2, 3]))[:, 0].tolist()
    [2.0, 0.0, 4.0, 5.0, 0.0]
    """
    if offset == 0:
        return frames
    # Rolled rows that cross a border are zeroed by the mask.
    return torch.roll(frames, -offset, dims=0) * layout.inside(offset)


def bucketed_batches(
    lengths: np.ndarray, *, frames_per_batch: int, seed: int, epoch: int
) -> list[list[int]]:
    """Return the entries of each batch of an epoch, in the order in which to train.

    Entries are sorted by a length blurred by a tenth, so that batches hold similar lengths but
    other company each epoch, cut where a batch is full, and the batches are shuffled.

    Examples
    --------
    >>> batches = bucketed_batches(np.array([9, 1, 1, 9]), frames_per_batch=10, seed=0, epoch=1)
    >>> sorted(sorted(batch) for batch in batches)
    [[0], [1, 2], [3]]
    """
    rng = rng_for(seed, "batches", epoch)
    order = np.argsort(lengths * rng.uniform(0.95, 1.05, len(lengths)), kind="stable")
    batches: list[list[int]] = [[]]
    room = frames_per_batch
    for entry in order.tolist():
        if lengths[entry] > room and batches[-1]:
            batches.append([])
            room = frames_per_batch
        batches[-1].append(entry)
        room -= lengths[entry]
    return [batches[index] for index in rng.permutation(len(batches))]


def mask_features(features: np.ndarray, masks: Mapping, rng: np.random.Generator) -> np.ndarray:
    """Set random stretches of time and bands of frequency to zero, in place (SpecAugment).

    Parameters
    ----------
    features
        Shape (frames, bins), zero on average.
    masks
        `time_masks` of up to `time_frames` frames, but never more than a tenth of the utterance
        each, and `band_masks` of up to `band_bins` bins.
    rng
        Generator of this utterance and epoch.
    """
    frames, bins = features.shape
    widest = min(masks["time_frames"], frames // 10)
    for start, width in _stretches(masks["time_masks"], widest, frames, rng):
        features[start : start + width] = 0.0
    for start, width in _stretches(masks["band_masks"], masks["band_bins"], bins, rng):
        features[:, start : start + width] = 0.0
    return features


def _stretches(
    count: int, widest: int, total: int, rng: np.random.Generator
) -> Sequence[tuple[int, int]]:
    widths = rng.integers(0, widest + 1, count)
    return [(int(rng.integers(0, total - width + 1)), int(width)) for width in widths]
