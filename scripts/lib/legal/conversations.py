"""Split the utterances of test speakers into test and calibration conversations, for all folds.

The random streams are those of `legal_eval`, so that every split is the package's. Conversations of
one utterance are the utterances themselves: folds then differ only in the role of each, and one
matrix of vectors serves them all.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Literal

import numpy as np

Calibration = Literal["overlapping", "disjoint"]
UNUSED, CALIBRATION, TEST = 0, 1, 2


@dataclass(frozen=True)
class FoldRoles:
    """What each item of a fold is used for.

    Attributes
    ----------
    test
        Item that is a speaker's test conversation, shape (speakers,).
    calibration
        Items that are a speaker's calibration conversations, shape (speakers, most conversations);
        the number of items where a speaker has fewer.
    role
        `UNUSED`, `CALIBRATION` or `TEST` per item, shape (items,).
    """

    test: np.ndarray
    calibration: np.ndarray
    role: np.ndarray


@dataclass(frozen=True)
class FoldGroup:
    """Folds whose conversations are taken from the same vectors.

    Attributes
    ----------
    vectors
        Unit vectors of all items, shape (items, dim).
    speaker
        Index of the speaker of each item, shape (items,).
    n_calibration
        Calibration conversations of each speaker, shape (speakers,).
    folds
        The roles of the items, by fold.
    """

    vectors: np.ndarray
    speaker: np.ndarray
    n_calibration: np.ndarray
    folds: dict[int, FoldRoles]


def stream(*key: int) -> np.random.Generator:
    """Return numpy's generator of a key, twice as fast as from a tuple where that is possible.

    Examples
    --------
    >>> bool(stream(0, 7).random() == np.random.default_rng((0, 7)).random())
    True
    """
    if max(key) < 2**32:
        return np.random.default_rng(np.array(key, dtype=np.uint32))
    return np.random.default_rng(key)


def eligible_speakers(spk2utt: Mapping[str, Sequence[str]], conversation_length: int) -> list[str]:
    """Return the speakers with utterances for a test and a calibration conversation.

    Parameters
    ----------
    spk2utt
        Utterances of each speaker.
    conversation_length
        Utterances per conversation, L; a speaker needs 2L.

    Examples
    --------
    >>> eligible_speakers({"a": ["a1", "a2"], "b": ["b1"]}, 1)
    ['a']
    """
    if conversation_length < 1:
        raise ValueError(f"a conversation has one utterance or more, not {conversation_length}")
    return [name for name, items in spk2utt.items() if len(items) >= 2 * conversation_length]


def stack_embeddings(
    spk2utt: Mapping[str, Sequence[str]], utt2embedding: Mapping[str, np.ndarray]
) -> np.ndarray:
    """Return the vectors of all utterances in the order of their speakers, as float64.

    Parameters
    ----------
    spk2utt
        Utterances of each speaker.
    utt2embedding
        Vector of each utterance, shape (dim,).
    """
    names = [(speaker, name) for speaker, items in spk2utt.items() for name in items]
    missing = next((pair for pair in names if pair[1] not in utt2embedding), None)
    if missing:
        raise ValueError(f"speaker {missing[0]}: no embedding of utterance {missing[1]}")
    dim = np.size(utt2embedding[names[0][1]])
    vectors = np.empty((len(names), dim))
    for row, (speaker, name) in enumerate(names):
        vector = utt2embedding[name]
        if np.shape(vector) != (dim,):
            raise ValueError(
                f"speaker {speaker}: the embedding of utterance {name} has shape "
                f"{np.shape(vector)}, that of {names[0][1]} {(dim,)}"
            )
        vectors[row] = vector
    # a sum is finite only if all its terms are, and needs no table of truth values
    bad = np.flatnonzero(~np.isfinite(vectors.sum(axis=1)))
    if bad.size:
        speaker, name = names[bad[0]]
        raise ValueError(
            f"speaker {speaker}: the embedding of utterance {name} is not finite "
            f"({bad.size} of {len(names)} utterances are not)"
        )
    return vectors


def normalise_rows(vectors: np.ndarray) -> np.ndarray:
    """Scale rows to unit length in place; a row of zeros stays.

    Examples
    --------
    >>> normalise_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    norm = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    norm[norm == 0] = 1.0
    vectors /= norm[:, None]
    return vectors


def fold_groups(
    spk2utt: Mapping[str, Sequence[str]],
    utt2embedding: Mapping[str, np.ndarray],
    conversation_length: int,
    *,
    n_folds: int,
    max_calibration: int,
    seed: int,
    vary_folds: bool,
    calibration: Calibration,
) -> Iterator[FoldGroup]:
    """Yield the conversations of all folds, those that share their vectors together.

    Parameters
    ----------
    spk2utt, utt2embedding
        Utterances of each test speaker and their vectors. Speakers with fewer than 2L utterances
        are left out.
    conversation_length
        Utterances per conversation, L.
    n_folds, max_calibration, seed, vary_folds, calibration
        As in `singling_out_sweep`.
    """
    eligible = set(eligible_speakers(spk2utt, conversation_length))
    positions = [place for place, name in enumerate(spk2utt) if name in eligible]
    kept = {name: spk2utt[name] for name in spk2utt if name in eligible}
    vectors = stack_embeddings(kept, utt2embedding)
    sizes = np.array([len(items) for items in kept.values()])
    layout = _layout(sizes, conversation_length, max_calibration, calibration)
    n_calibration = (layout[:, :, 0] >= 0).sum(axis=1)
    speaker = np.repeat(np.arange(sizes.size), sizes)
    if conversation_length == 1:
        normalise_rows(vectors)
    shared: dict[int, FoldRoles] = {}
    for fold in range(n_folds if vary_folds else 1):
        order = _shuffled(positions, sizes, (seed,), (fold,) if vary_folds else ())
        test = order[(np.cumsum(sizes) - sizes)[:, None] + np.arange(conversation_length)]
        chosen = np.where(layout >= 0, order[layout], -1)
        if conversation_length == 1:
            shared[fold] = _roles(test[:, 0], chosen[:, :, 0], speaker.size)
            continue
        items = np.concatenate([test, chosen[layout[:, :, 0] >= 0]])
        owner = np.append(np.arange(sizes.size), np.repeat(np.arange(sizes.size), n_calibration))
        place = np.full(layout.shape[:2], -1)
        place[layout[:, :, 0] >= 0] = np.arange(sizes.size, owner.size)
        roles = _roles(np.arange(sizes.size), place, owner.size)
        folds = [fold] if vary_folds else range(n_folds)
        yield FoldGroup(
            _averages(vectors, items), owner, n_calibration, dict.fromkeys(folds, roles)
        )
    if conversation_length == 1:
        if not vary_folds:
            shared = dict.fromkeys(range(n_folds), shared[0])
        yield FoldGroup(vectors, speaker, n_calibration, shared)


def _layout(
    sizes: np.ndarray, length: int, max_calibration: int, calibration: Calibration
) -> np.ndarray:
    """Places of the calibration utterances in the shuffled list, (speakers, most, L); else -1."""
    if calibration not in ("overlapping", "disjoint"):
        raise ValueError(f"calibration is {calibration!r}: use 'overlapping' or 'disjoint'")
    if max_calibration < 1:
        raise ValueError(f"a threshold needs a calibration conversation, not {max_calibration}")
    plans = {}
    for size in np.unique(sizes).tolist():
        rest = range(length, size)
        if calibration == "disjoint":
            count = min(max_calibration, len(rest) // length)
            plans[size] = np.arange(length, length * (count + 1)).reshape(count, length)
        else:
            count = min(max_calibration, math.comb(len(rest), length))
            plans[size] = np.array(list(islice(combinations(rest, length), count)))
    layout = np.full((sizes.size, max(map(len, plans.values())), length), -1)
    start = np.cumsum(sizes) - sizes
    for size, plan in plans.items():
        same = np.flatnonzero(sizes == size)
        layout[same, : len(plan)] = start[same, None, None] + plan
    return layout


def _shuffled(
    positions: Sequence[int], sizes: np.ndarray, before: tuple[int, ...], after: tuple[int, ...]
) -> np.ndarray:
    """Rows of all utterances, shuffled within each speaker by a stream of the speaker's own."""
    order = np.empty(sizes.sum(), dtype=np.int64)
    start = 0
    for position, size in zip(positions, sizes.tolist(), strict=True):
        order[start : start + size] = stream(*before, position, *after).permutation(size)
        start += size
    return order + np.repeat(np.cumsum(sizes) - sizes, sizes)


def _roles(test: np.ndarray, calibration: np.ndarray, n_items: int) -> FoldRoles:
    role = np.full(n_items, UNUSED, dtype=np.int8)
    role[calibration[calibration >= 0]] = CALIBRATION
    role[test] = TEST
    return FoldRoles(test, np.where(calibration >= 0, calibration, n_items), role)


def _averages(vectors: np.ndarray, items: np.ndarray) -> np.ndarray:
    """Unit-length means of the rows named by each row of `items`."""
    means = np.zeros((len(items), vectors.shape[1]))
    for start in range(0, len(items), 8192):  # so that what is gathered stays in the cache
        block = items[start : start + 8192]
        for column in block.T:
            means[start : start + 8192] += vectors[column]
    return normalise_rows(means)
