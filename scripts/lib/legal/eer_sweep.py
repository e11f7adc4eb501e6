"""ROCCH-EER by population size (legal section 7), draw by draw that of `legal_eval`.

All sizes and runs are read from one pass over blocks of test items. Of the drawn scores, only how
many lie below each target counts; so each block is sorted, counted and dropped.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from legal_eval.io import ScoreMatrix
from legal_eval.sweeps import SweepResult, geometric_speaker_counts

from scripts.lib.legal.conversations import normalise_rows, stack_embeddings
from scripts.lib.metrics.rocch_eer import rocch_eer_of_counts

BLOCK = 256  # test items scored at a time


class _Buffer:
    """Memory for one block after the other: fresh memory would take as long as the scores."""

    def __init__(self, width: int):
        self._memory = np.empty((0, width))

    def rows(self, count: int) -> np.ndarray:
        if len(self._memory) < count:
            self._memory = np.empty((count, self._memory.shape[1]))
        return self._memory[:count]


class EmbeddedTrials:
    """Test items against enrolled speakers, scored block by block when they are asked for.

    It stands in for the package's `ScoreMatrix`, which holds all scores at once.

    Parameters
    ----------
    enroll_embeddings
        One vector per enrolled speaker, shape (dim,).
    test_embeddings
        One vector per test speaker, shape (dim,).

    Examples
    --------
    >>> trials = EmbeddedTrials({"a": [3.0, 4.0], "b": [1.0, 0.0]}, {"b": [2.0, 0.0]})
    >>> trials.block(0, 1).tolist()
    [[0.6, 1.0]]
    """

    def __init__(
        self,
        enroll_embeddings: Mapping[str, np.ndarray],
        test_embeddings: Mapping[str, np.ndarray],
    ):
        self.enroll_speakers, self.test_speakers = list(enroll_embeddings), list(test_embeddings)
        self._enrolled, self._tested = (
            normalise_rows(stack_embeddings({name: [name] for name in vectors}, vectors))
            for vectors in (enroll_embeddings, test_embeddings)
        )
        if self._enrolled.shape[1] != self._tested.shape[1]:
            raise ValueError(
                f"enrolled vectors have {self._enrolled.shape[1]} dimensions, test vectors "
                f"{self._tested.shape[1]}"
            )
        self._blocks = _Buffer(len(self.enroll_speakers))

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return scores of some test items, (items, enrolled speakers), until the next call."""
        scores = self._blocks.rows(stop - start)
        return np.matmul(self._tested[start:stop], self._enrolled.T, out=scores)

    def targets(self, own: np.ndarray) -> np.ndarray:
        """Return the score of each test item with one enrolled speaker, given by row."""
        return np.einsum("ij,ij->i", self._tested, self._enrolled[own])


class _MatrixTrials:
    """A whole matrix of scores, read block by block."""

    def __init__(self, matrix: ScoreMatrix):
        self.enroll_speakers, self.test_speakers = matrix.enroll_speakers, matrix.test_speakers
        self._scores = matrix.scores
        self._blocks = _Buffer(len(self.enroll_speakers))

    def block(self, start: int, stop: int) -> np.ndarray:
        scores = self._blocks.rows(stop - start)
        np.copyto(scores, self._scores[:, start:stop].T)
        bad = ~np.isfinite(scores.sum(axis=1))
        if bad.any():
            column = start + int(bad.argmax())
            raise ValueError(
                f"test item {column} (speaker {self.test_speakers[column]}) has a score that is "
                "not finite"
            )
        return scores

    def targets(self, own: np.ndarray) -> np.ndarray:
        return self._scores[own, np.arange(own.size)].astype(np.float64)


def trials_of(scores: ScoreMatrix | EmbeddedTrials) -> "EmbeddedTrials | _MatrixTrials":
    """Return scores in the form that is read block by block."""
    return scores if isinstance(scores, EmbeddedTrials) else _MatrixTrials(scores)


def eer_sweep(
    score_matrix: ScoreMatrix | EmbeddedTrials,
    speaker_counts: Sequence[int] | None = None,
    n_runs: int = 5,
    seed: int = 0,
    conversation_length: int = 1,
    max_nontarget_per_speaker: int = 500,
    test_speakers: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
) -> SweepResult:
    """Return the equal error rate on the ROC convex hull per population size.

    Targets are all test items against their own enrolled speaker; non-targets are drawn for each
    test item from the other enrolled speakers, N′ − 1 of them but not more than the limit.

    Unlike the package, this refuses a population size that the data do not have, instead of leaving
    it out.

    Parameters
    ----------
    score_matrix
        Scores of enrolled speakers (rows) with test items (columns), or the vectors to score.
    speaker_counts
        Population sizes N′; the paper's grid up to all enrolled speakers when left out.
    n_runs
        Draws per size.
    seed
        Seed of the draws.
    conversation_length
        Utterances per test item, for the record.
    max_nontarget_per_speaker
        Most non-targets drawn per test item.
    test_speakers
        Speaker of each test item, if not those of `score_matrix`.
    metadata
        Further entries for the result's metadata.

    Returns
    -------
    SweepResult
        Equal error rate of every run, per size.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.4]])
    >>> matrix = ScoreMatrix(scores, ["a", "b", "c"], ["a", "b"], {})
    >>> eer_sweep(matrix, [2, 3], n_runs=2).values
    {2: [0.0, 0.0], 3: [0.0, 0.0]}
    """
    trials = trials_of(score_matrix)
    n_enroll, n_test = len(trials.enroll_speakers), len(trials.test_speakers)
    own = own_rows(trials, test_speakers)
    counts = _checked_counts(speaker_counts, n_enroll)
    drawn = [min(count - 1, max_nontarget_per_speaker) for count in counts for _ in range(n_runs)]
    streams = [
        np.random.default_rng((seed, count, run)) for count in counts for run in range(n_runs)
    ]
    below = _count_below(trials, own, drawn, streams)
    weight = np.ones(n_test, dtype=np.int64)
    rates = [
        rocch_eer_of_counts(weight, row, size * n_test)
        for row, size in zip(below, drawn, strict=True)
    ]
    return SweepResult(
        metric="eer",
        conversation_length=conversation_length,
        values={
            count: rates[place * n_runs : (place + 1) * n_runs]
            for place, count in enumerate(counts)
        },
        metadata={
            "n_enroll_total": n_enroll,
            "n_test": n_test,
            "n_runs": n_runs,
            "seed": seed,
            "max_nontarget_per_speaker": max_nontarget_per_speaker,
            **dict(metadata or {}),
        },
    )


def draw_nontargets(
    scores: np.ndarray, own: int, sizes: Sequence[int], streams: Sequence[np.random.Generator]
) -> list[np.ndarray]:
    """Draw scores of one test item with other speakers, once from every stream.

    Parameters
    ----------
    scores
        The item's scores with all enrolled speakers, shape (speakers,).
    own
        Row of the item's own speaker, who is never drawn.
    sizes
        How many to draw from each stream.
    streams
        Generators, of which each goes on where the last test item left it.
    """
    others = np.concatenate([scores[:own], scores[own + 1 :]])
    return [
        others
        if size == others.size  # nothing to draw
        else others.take(generator.choice(others.size, size, replace=False))
        for size, generator in zip(sizes, streams, strict=True)
    ]


def _count_below(
    trials: EmbeddedTrials | _MatrixTrials,
    own: np.ndarray,
    sizes: Sequence[int],
    streams: Sequence[np.random.Generator],
) -> np.ndarray:
    """Count the drawn scores below each target, targets ascending, shape (streams, targets)."""
    target = np.sort(trials.targets(own))
    below = np.zeros((len(sizes), own.size), dtype=np.int64)
    for start in range(0, own.size, BLOCK):
        rows = own[start : start + BLOCK].tolist()
        scores = trials.block(start, start + len(rows))
        drawn = [draw_nontargets(scores[i], rows[i], sizes, streams) for i in range(len(rows))]
        for place, parts in enumerate(zip(*drawn, strict=True)):
            below[place] += np.searchsorted(np.sort(np.concatenate(parts)), target)
    return below


def own_rows(
    trials: EmbeddedTrials | _MatrixTrials, test_speakers: Sequence[str] | None = None
) -> np.ndarray:
    """Return the row of each test item's own enrolled speaker.

    Parameters
    ----------
    trials
        Enrolled speakers and test items.
    test_speakers
        Speaker of each test item, if not those of `trials`.
    """
    labels = list(trials.test_speakers if test_speakers is None else test_speakers)
    if len(labels) != len(trials.test_speakers):
        raise ValueError(
            f"{len(labels)} speakers are named for {len(trials.test_speakers)} test items"
        )
    row = {speaker: index for index, speaker in enumerate(trials.enroll_speakers)}
    absent = [label for label in labels if label not in row]
    if absent:
        raise ValueError(
            f"test speaker {absent[0]} is not enrolled, so that no target can be scored "
            f"({len(absent)} of {len(labels)} test items)"
        )
    return np.array([row[label] for label in labels], dtype=np.intp)


def _checked_counts(speaker_counts: Sequence[int] | None, n_enroll: int) -> list[int]:
    if speaker_counts is None:
        return geometric_speaker_counts(n_enroll)
    counts = [int(count) for count in dict.fromkeys(speaker_counts)]
    wrong = next((count for count in counts if not 2 <= count <= n_enroll), None)
    if wrong is not None:
        raise ValueError(
            f"a population of {wrong} speakers is asked for: give 2 to {n_enroll}, the number "
            "of enrolled speakers"
        )
    return counts
