"""Decide for many drawn sets of test speakers whether one enrolled speaker's predicate isolates.

The threshold of a set depends on its few highest calibration scores only. So the highest scores are
sorted once and a set is looked up among them from the top down. A small set, or one that needs more
than the sorted scores, is evaluated from all its own scores instead.
"""

from collections.abc import Sequence
from math import ceil, sqrt

import numpy as np

from scripts.lib.legal.conversations import CALIBRATION, TEST, FoldGroup, FoldRoles, stream

GATHER_COST = 4  # time to gather one score of a set, in looks at one sorted score


class Predicate:
    """The scores of one enrolled speaker, ready for sets of any size.

    Parameters
    ----------
    group
        The conversations.
    scores
        The speaker's score with every item of the group, and −∞ at the end, shape (items + 1,).
    own
        Index of the enrolled speaker among the test speakers.
    counts
        Sizes of the sets that will be asked for.
    """

    def __init__(self, group: FoldGroup, scores: np.ndarray, own: int, counts: Sequence[int]):
        self.group, self.scores, self.own = group, scores, own
        self.n_speakers = group.n_calibration.size
        self.rank = int(group.n_calibration[own])
        total = int(group.n_calibration.sum())
        # how far down the sorted calibration scores a set's rank + 1 highest ones reach, with a
        # reserve of six standard deviations
        reach = (self.rank + 1 + 6 * sqrt(self.rank + 1)) * self.n_speakers
        self.depth = {
            count: ceil(reach / count)
            for count in counts
            if reach / count < GATHER_COST * total * count / self.n_speakers
        }
        deepest = max(self.depth.values(), default=0) / total
        self._sort_highest(min(1.0, 1.1 * deepest))

    def _sort_highest(self, share: float) -> None:
        items = self.scores[:-1]
        if share < 1.0:
            keep = ceil(share * items.size)
            cut = np.partition(items, items.size - keep)[items.size - keep] if keep else np.inf
            highest = np.flatnonzero(items >= cut)
        else:
            highest = np.arange(items.size)
        self.highest = highest[np.argsort(-items[highest])]
        self.highest_scores = items[self.highest]
        # a set is a row of truth values over the other speakers, followed by the own one
        other = self.group.speaker[self.highest]
        place = other - (other > self.own)
        place[other == self.own] = self.n_speakers - 1
        self.highest_place = place

    def outcomes(
        self, fold: int, counts: Sequence[int], n_runs: int, key: tuple[int, int]
    ) -> np.ndarray:
        """Return whether each drawn set is isolated, shape (counts, runs).

        Parameters
        ----------
        fold
            Fold of the group.
        counts
            Sizes of the sets.
        n_runs
            Sets per size.
        key
            Seed and row of the enrolled speaker: run r of size N draws from the stream
            (seed, N, fold, row, r).
        """
        roles = self.group.folds[fold]
        role = roles.role[self.highest]
        lists = []
        for wanted in (CALIBRATION, TEST):
            chosen = np.flatnonzero(role == wanted)
            lists.append((self.highest_scores[chosen], self.highest_place[chosen]))
        seed, row = key
        result = np.empty((len(counts), n_runs), dtype=bool)
        for index, count in enumerate(counts):
            if count == self.n_speakers:  # nothing to draw
                drawn = np.arange(count - 1)[None]
            else:
                drawn = np.stack(
                    [
                        draw_others(seed, count, fold, row, run, self.n_speakers)
                        for run in range(n_runs)
                    ]
                )
            if count in self.depth:
                result[index] = self._look_up(roles, drawn, *lists, self.depth[count])
            else:
                result[index] = self._gather(roles, drawn)
        return result

    def _look_up(
        self,
        roles: FoldRoles,
        drawn: np.ndarray,
        calibration: tuple[np.ndarray, np.ndarray],
        test: tuple[np.ndarray, np.ndarray],
        depth: int,
    ) -> np.ndarray:
        member = np.zeros((len(drawn), self.n_speakers), dtype=bool)
        member[:, -1] = True
        for row, places in zip(member, drawn, strict=True):
            row[places] = True
        scores, places = calibration
        found = np.cumsum(member.take(places[:depth], axis=1), axis=1, dtype=np.int32)
        enough = found[:, -1] > self.rank
        result = np.zeros(len(drawn), dtype=bool)
        if enough.any():
            found, inside = found[enough], member[enough]
            upper = scores[np.count_nonzero(found < self.rank, axis=1)]
            lower = scores[np.count_nonzero(found <= self.rank, axis=1)]
            threshold = (lower + upper) / 2.0
            scores, places = test
            near = np.searchsorted(-scores, -threshold.min())
            fires = inside.take(places[:near], axis=1) & (scores[:near] > threshold[:, None])
            result[enough] = np.count_nonzero(fires, axis=1) == 1
        if not enough.all():
            result[~enough] = self._gather(roles, drawn[~enough])
        return result

    def _gather(self, roles: FoldRoles, drawn: np.ndarray) -> np.ndarray:
        own = np.full((len(drawn), 1), self.own)
        members = np.concatenate([own, drawn + (drawn >= self.own)], axis=1)
        scores = self.scores[roles.calibration[members]].reshape(len(drawn), -1)
        place = scores.shape[1] - self.rank - 1
        scores.partition([place, place + 1], axis=1)
        threshold = (scores[:, place] + scores[:, place + 1]) / 2.0
        fires = self.scores[roles.test[members]] > threshold[:, None]
        return np.count_nonzero(fires, axis=1) == 1


def draw_others(
    seed: int, count: int, fold: int, row: int, run: int, n_speakers: int
) -> np.ndarray:
    """Draw the `count` − 1 other speakers of a set, numbered as if the own one were not there.

    Numpy shuffles what it has drawn, which no set needs. Leaving that out draws the same speakers,
    except where numpy would then choose another way of drawing.

    Examples
    --------
    >>> sorted(draw_others(0, 3, 0, 0, 0, 60).tolist())
    [18, 31]
    >>> sorted(np.random.default_rng((0, 3, 0, 0, 0)).choice(59, 2, replace=False).tolist())
    [18, 31]
    """
    others, size = n_speakers - 1, count - 1
    same_way = others <= 10_000 or size <= others // 50
    generator = stream(seed, count, fold, row, run)
    return generator.choice(others, size, replace=False, shuffle=not same_way)
