"""Singling Out by population size (legal section 5), draw by draw that of `legal_eval`.

Every enrolled speaker is scored once with all conversations; all population sizes, runs and folds
are read from these scores. `benchmarks/legal.md` compares time and memory with the package.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from legal_eval.sweeps import SweepResult, geometric_speaker_counts

from scripts.lib.legal.conversations import (
    Calibration,
    FoldGroup,
    eligible_speakers,
    fold_groups,
    normalise_rows,
    stack_embeddings,
)
from scripts.lib.legal.isolation import Predicate

BLOCK_BYTES = 2**27  # of the scores held at a time


def singling_out_sweep(
    enroll_embeddings: Mapping[str, np.ndarray],
    dataset_spk2utt: Mapping[str, Sequence[str]],
    utt2embedding: Mapping[str, np.ndarray],
    conversation_length: int,
    speaker_counts: Sequence[int] | None = None,
    n_runs: int = 5,
    n_folds: int = 10,
    max_calibration: int = 9,
    seed: int = 0,
    vary_folds: bool = True,
    metadata: Mapping[str, object] | None = None,
    calibration: Calibration = "overlapping",
) -> SweepResult:
    """Return the share of isolated sets per population size.

    A set is the enrolled speaker and N − 1 other test speakers. The threshold lies between the n-th
    and the next highest score of the set's calibration conversations, n being the number of the
    enrolled speaker's own. The set is isolated if exactly one test conversation scores above it.

    Unlike the package, this refuses a population size that the data do not have, instead of leaving
    it out. As there, enrolled speakers who are not among the eligible test speakers are not
    evaluated; the metadata count those who are.

    Parameters
    ----------
    enroll_embeddings
        One vector per enrolled speaker, shape (dim,).
    dataset_spk2utt
        Utterances of each test speaker, none of them part of an enrolled vector. Speakers with
        fewer than 2L utterances are left out.
    utt2embedding
        Vector of each of these utterances, shape (dim,).
    conversation_length
        Utterances per conversation, L.
    speaker_counts
        Population sizes N; the paper's grid up to all eligible speakers when left out.
    n_runs
        Sets drawn per enrolled speaker, fold and size.
    n_folds
        Splits of the utterances into test and calibration conversations.
    max_calibration
        Most calibration conversations of a speaker.
    seed
        Seed of the splits and of the sets.
    vary_folds
        Split anew in every fold. The published curves have one split for all.
    metadata
        Further entries for the result's metadata.
    calibration
        `overlapping` takes the first combinations of L utterances, as the package does.
        `disjoint` uses each utterance once, as the paper says; at L = 1 both are the same.

    Returns
    -------
    SweepResult
        Per size, the mean over runs of every (fold, enrolled speaker), fold by fold.

    Examples
    --------
    >>> from legal_eval.demo import synthetic_corpus, split_corpus
    >>> from legal_eval.embeddings import build_speaker_embeddings
    >>> spk2utt, vectors = synthetic_corpus()
    >>> first, second = split_corpus(spk2utt, 6)
    >>> enrolled = build_speaker_embeddings(first, vectors)
    >>> result = singling_out_sweep(enrolled, second, vectors, 1, [10, 60], n_folds=3)
    >>> {count: round(mean, 6) for count, mean in result.mean().items()}
    {10: 0.475556, 60: 0.388889}
    """
    eligible = eligible_speakers(dataset_spk2utt, conversation_length)
    counts = _checked_counts(speaker_counts, eligible, dataset_spk2utt, conversation_length)
    column = {speaker: index for index, speaker in enumerate(eligible)}
    rows = [(row, column[name]) for row, name in enumerate(enroll_embeddings) if name in column]
    if not rows:
        raise ValueError(
            f"none of the {len(enroll_embeddings)} enrolled speakers (first: "
            f"{next(iter(enroll_embeddings), None)}) is a test speaker with "
            f"{2 * conversation_length} utterances"
        )
    own = {name: [name] for name in enroll_embeddings}
    enrolled = normalise_rows(stack_embeddings(own, enroll_embeddings))
    values = np.empty((len(counts), n_folds, len(rows)))
    groups = fold_groups(
        dataset_spk2utt,
        utt2embedding,
        conversation_length,
        n_folds=n_folds,
        max_calibration=max_calibration,
        seed=seed,
        vary_folds=vary_folds,
        calibration=calibration,
    )
    for group in groups:
        _check_dimensions(enrolled, group.vectors)
        places = enumerate(zip(_scores(enrolled, group, rows), rows, strict=True))
        for place, (scores, (row, own_column)) in places:
            predicate = Predicate(group, scores, own_column, counts)
            for fold in group.folds:
                outcomes = predicate.outcomes(fold, counts, n_runs, (seed, row))
                values[:, fold, place] = outcomes.mean(axis=1)
    return SweepResult(
        metric="singling_out",
        conversation_length=conversation_length,
        values={count: values[index].ravel().tolist() for index, count in enumerate(counts)},
        metadata={
            "n_enroll": len(enroll_embeddings),
            "n_enroll_evaluated": len(rows),
            "n_dataset_eligible": len(eligible),
            "n_runs": n_runs,
            "n_folds": n_folds,
            "max_calibration": max_calibration,
            "calibration": calibration,
            "seed": seed,
            "vary_folds": vary_folds,
            **dict(metadata or {}),
        },
    )


def _checked_counts(
    speaker_counts: Sequence[int] | None,
    eligible: Sequence[str],
    spk2utt: Mapping[str, Sequence[str]],
    length: int,
) -> list[int]:
    needed = f"{2 * length} utterances that conversations of {length} need"
    kept = set(eligible)
    short = next((name for name in spk2utt if name not in kept), None)
    why = f"; {short} has {len(spk2utt[short])}" if short is not None else ""
    if len(eligible) < 2:
        raise ValueError(
            f"{len(eligible)} of {len(spk2utt)} test speakers has the {needed}, two must{why}"
        )
    if speaker_counts is None:
        return geometric_speaker_counts(len(eligible))
    counts = [int(count) for count in dict.fromkeys(speaker_counts)]
    wrong = next((count for count in counts if not 2 <= count <= len(eligible)), None)
    if wrong is not None:
        raise ValueError(
            f"a population of {wrong} speakers is asked for: give 2 to {len(eligible)}, as "
            f"{len(eligible)} of {len(spk2utt)} test speakers have the {needed}{why}"
        )
    return counts


def _check_dimensions(enrolled: np.ndarray, vectors: np.ndarray) -> None:
    if enrolled.shape[1] != vectors.shape[1]:
        raise ValueError(
            f"enrolled vectors have {enrolled.shape[1]} dimensions, test vectors {vectors.shape[1]}"
        )


def _scores(
    enrolled: np.ndarray, group: FoldGroup, rows: Sequence[tuple[int, int]]
) -> Iterator[np.ndarray]:
    """Yield the cosine of each evaluated speaker with every item, and −∞ at the end."""
    n_items = len(group.vectors)
    size = max(1, BLOCK_BYTES // (8 * (n_items + 1)))
    chosen = enrolled[[row for row, _ in rows]]
    block = np.full((min(size, len(rows)), n_items + 1), -np.inf)
    for start in range(0, len(rows), size):
        part = chosen[start : start + size]
        np.matmul(part, group.vectors.T, out=block[: len(part), :-1])
        yield from block[: len(part)]
