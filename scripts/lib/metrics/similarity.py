"""Voice similarity matrices and what follows from them (vpc2020 section 7.9).

Scores of all pairs of segments are asked for block by block, three times, and never kept: memory
grows with the same-speaker pairs only, so that the 14.7 million pairs of VCTK fit anywhere.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from scripts.lib.metrics.pav import RAMP, log_odds
from scripts.lib.metrics.ranking import check_scores

ScoreRows = Callable[[int, int], np.ndarray]


class SimilarityMatrix(NamedTuple):
    """Similarity of every pair of speakers, shape (S, S), and the speakers in order."""

    matrix: np.ndarray
    speakers: tuple[str, ...]


def similarity_matrix(
    score_rows: ScoreRows, speakers: Sequence[str], *, block_rows: int = 128
) -> SimilarityMatrix:
    """Return M(p, q) = σ(mean calibrated LLR of the pairs of segments of speakers p and q).

    Only pairs i < j count, also between original rows and anonymized columns, and every pair
    counts for both (p, q) and (q, p). Scores are calibrated by PAV with Laplace's rule over all
    pairs of the matrix before they are averaged.

    Parameters
    ----------
    score_rows
        `score_rows(start, stop)` gives the scores of segments start … stop − 1 against all K
        segments, shape (stop − start, K). It must answer the same each time.
    speakers
        True speaker of each of the K segments, which stand in the sorted order of utterances.
    block_rows
        Rows asked for at once; changes memory, not results.

    Examples
    --------
    >>> scores = np.array([[0, 2, 0, 1], [0, 0, -1, 0], [0, 0, 0, 3], [0, 0, 0, 0]])
    >>> result = similarity_matrix(lambda start, stop: scores[start:stop], ["a", "a", "b", "b"])
    >>> result.matrix.round(3).tolist(), result.speakers
    ([[0.857, 0.286], [0.286, 0.857]], ('a', 'b'))
    """
    names, code = np.unique(np.asarray(speakers, dtype=str), return_inverse=True)
    count = np.bincount(code)
    if names.size < 2 or (count < 2).any():
        raise ValueError(
            f"similarity needs two or more speakers with two or more segments each: there are "
            f"{names.size} speakers, and {names[count < 2].tolist()} have one segment"
        )

    def blocks() -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        for start in range(0, code.size - 1, block_rows):
            rows = np.arange(start, min(start + block_rows, code.size - 1))
            scores = np.asarray(score_rows(start, int(rows[-1]) + 1), dtype=np.float64)
            if scores.shape != (rows.size, code.size):
                raise ValueError(
                    f"score_rows({start}, {rows[-1] + 1}) has shape {scores.shape}, "
                    f"not {(rows.size, code.size)}"
                )
            pair = np.arange(code.size) > rows[:, None]
            pair_scores = check_scores(scores[pair], f"pair (rows from {start})")
            cell = (code[rows][:, None] * names.size + code)[pair]
            yield pair_scores, cell, cell % (names.size + 1) == 0

    target = np.sort(np.concatenate([scores[same] for scores, _, same in blocks()]))
    followers = np.zeros(target.size + 1, dtype=np.int64)  # non-targets behind 0 … T targets
    for scores, _, same in blocks():
        ahead = np.searchsorted(target, np.sort(scores[~same]), side="left")
        followers += np.bincount(ahead, minlength=followers.size)
    llr_target, llr_nontarget = _calibration(followers)

    summed = np.zeros(names.size**2)
    pairs = np.zeros(names.size**2, dtype=np.int64)
    for scores, cell, same in blocks():
        ahead = np.searchsorted(target, scores, side="left")
        llr = np.where(same, llr_target[np.minimum(ahead, target.size - 1)], llr_nontarget[ahead])
        summed += np.bincount(cell, weights=llr, minlength=summed.size)
        pairs += np.bincount(cell, minlength=pairs.size)
    summed, pairs = (table.reshape(names.size, names.size) for table in (summed, pairs))
    outside = ~np.eye(names.size, dtype=bool)
    mean = (summed + summed.T * outside) / (pairs + pairs.T * outside)
    return SimilarityMatrix(expit(mean), tuple(names.tolist()))


def d_diag(matrix: np.ndarray) -> float:
    """Return the diagonal dominance |mean of the diagonal − mean of the rest|.

    Examples
    --------
    >>> round(d_diag(np.array([[0.9, 0.2, 0.1], [0.2, 0.8, 0.3], [0.1, 0.3, 0.7]])), 12)
    0.6
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] < 2:
        raise ValueError(
            f"a similarity matrix is square, with two or more rows, not {matrix.shape}"
        )
    check_scores(matrix.ravel(), "similarity")
    diagonal = np.eye(len(matrix), dtype=bool)
    return float(abs(matrix[diagonal].mean() - matrix[~diagonal].mean()))


def g_vd(matrix_aa: np.ndarray, matrix_oo: np.ndarray) -> float:
    """Return the gain of voice distinctiveness in dB: 0 if kept, negative if voices grow alike.

    G_VD = 10·log₁₀(D_diag(M_aa) / D_diag(M_oo)); −∞ if anonymized voices are all alike.

    Examples
    --------
    >>> g_vd(np.array([[0.5, 0.25], [0.25, 0.5]]), np.array([[1.0, 0.0], [0.0, 1.0]]))
    -6.020599913279624
    """
    original = _dominance_of_originals(matrix_oo)
    with np.errstate(divide="ignore"):
        return float(10 * np.log10(d_diag(matrix_aa) / original))


def de_id(matrix_oa: np.ndarray, matrix_oo: np.ndarray) -> float:
    """Return de-identification 1 − D_diag(M_oa) / D_diag(M_oo): 1 if no voice is recognised.

    Examples
    --------
    >>> de_id(np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([[0.9, 0.1], [0.1, 0.9]]))
    1.0
    """
    return 1.0 - d_diag(matrix_oa) / _dominance_of_originals(matrix_oo)


def full_matrix(matrix_oo: np.ndarray, matrix_oa: np.ndarray, matrix_aa: np.ndarray) -> np.ndarray:
    """Return [[M_oo, M_oa], [M_oaᵀ, M_aa]] of shape (2S, 2S), as it is plotted."""
    return np.block([[matrix_oo, matrix_oa], [np.transpose(matrix_oa), matrix_aa]])


def _dominance_of_originals(matrix_oo: np.ndarray) -> float:
    original = d_diag(matrix_oo)
    if original == 0:
        raise ValueError("original voices are all alike (D_diag(M_oo) = 0): nothing to compare to")
    return original


def _calibration(followers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """LLR of every sorted target, and of the non-targets behind 0 … T targets, ramp included.

    Non-targets between the same two targets share the mean of their ramp: LLRs are then off by
    less than 1e-6 times these non-targets' share of all pairs.
    """
    end, size = np.cumsum(followers), followers.size - 1
    before, total = end[:-1], int(end[-1])
    odds = log_odds(np.ones(size, dtype=np.int64), before, total, laplace=True)
    llr = odds - np.log(size / total)
    step = RAMP / (size + total)
    target = llr[1:] + step * (before + np.arange(size))
    return target, llr + step * (np.arange(size + 1) + end - (followers + 1) / 2)
