import numpy as np
import pytest
import torch

from scripts.lib.models.batching import Frames, bucketed_batches, mask_features, shift

LENGTHS = np.random.default_rng(0).integers(100, 900, 200)


def batches(epoch: int = 1, seed: int = 0) -> list[list[int]]:
    return bucketed_batches(LENGTHS, frames_per_batch=3000, seed=seed, epoch=epoch)


def test_every_utterance_is_in_one_batch_and_none_is_overfull():
    assert sorted(entry for batch in batches() for entry in batch) == list(range(200))
    assert max(LENGTHS[batch].sum() for batch in batches()) <= 3000


def test_a_batch_holds_similar_lengths():
    spreads = [np.ptp(LENGTHS[batch]) for batch in batches()]
    # Lengths range over 800 frames; the blur of ±5 % and a share of 200 utterances remain.
    assert max(spreads) < 250


def test_an_utterance_longer_than_a_batch_is_a_batch_of_its_own():
    found = bucketed_batches(np.array([500, 20, 20]), frames_per_batch=50, seed=0, epoch=1)
    assert sorted(map(sorted, found)) == [[0], [1, 2]]


def test_epochs_and_seeds_differ_but_repeat():
    assert batches() == batches()
    assert batches(epoch=2) != batches(epoch=1)
    assert batches(seed=1) != batches(seed=0)


@pytest.mark.parametrize("offset", [-3, -1, 0, 2])
def test_shift_is_that_of_each_utterance_alone(offset):
    parts = [torch.randn(length, 4) for length in (5, 1, 7)]
    together = shift(torch.cat(parts), offset, Frames([5, 1, 7]))
    alone = [shift(part, offset, Frames([len(part)])) for part in parts]
    assert torch.equal(together, torch.cat(alone))
    if offset == 2:
        assert torch.equal(together[:3], parts[0][2:])
        assert not together[3:6].any()


def test_masks_stay_within_their_limits():
    limits = {"time_masks": 2, "time_frames": 20, "band_masks": 1, "band_bins": 6}
    masked = []
    for seed in range(50):
        kept = mask_features(np.ones((300, 40)), limits, np.random.default_rng(seed)) > 0
        frames, bins = (~kept.any(axis=1)).sum(), (~kept.any(axis=0)).sum()
        assert frames <= 40
        assert bins <= 6
        # Nothing but whole frames and whole bins is masked.
        assert kept.sum() == (300 - frames) * (40 - bins)
        masked.append((frames, bins))
    assert np.max(masked, axis=0)[1] == 6
    assert np.min(masked, axis=0)[1] == 0


def test_short_utterances_lose_at_most_a_tenth_per_mask():
    limits = {"time_masks": 1, "time_frames": 20, "band_masks": 0, "band_bins": 0}
    for seed in range(30):
        kept = mask_features(np.ones((30, 4)), limits, np.random.default_rng(seed))
        assert kept.all(axis=1).sum() >= 27


def test_no_masks_change_nothing():
    limits = {"time_masks": 0, "time_frames": 20, "band_masks": 0, "band_bins": 12}
    features = np.random.default_rng(0).normal(size=(50, 8))
    assert np.array_equal(
        mask_features(features.copy(), limits, np.random.default_rng(1)), features
    )
