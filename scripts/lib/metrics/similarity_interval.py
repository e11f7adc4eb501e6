"""Intervals of voice distinctiveness and de-identification from a bootstrap over speakers."""

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.bootstrap import MAX_DRAWS, MetricInterval, widened_tail
from scripts.lib.metrics.similarity import de_id, g_vd
from scripts.lib.seeding import rng_for


def similarity_intervals(
    matrix_oo: ArrayLike,
    matrix_oa: ArrayLike,
    matrix_aa: ArrayLike,
    *,
    seed: int,
    replicates: int = 1000,
    level: float = 0.95,
) -> dict[str, MetricInterval]:
    """Return `g_vd` in dB and `de_id` as a fraction, each with its interval.

    Speakers are drawn with replacement, the same ones for all three matrices; a drawn speaker's
    pairs with her own copies count for neither part. Scores are not calibrated anew, so the
    interval leaves out how uncertain the calibration is.

    Parameters
    ----------
    matrix_oo, matrix_oa, matrix_aa
        Similarity matrices of the same speakers, shape (S, S).
    seed, replicates, level
        Seed and number of draws, and the coverage aimed at.

    Examples
    --------
    >>> oo = np.array([[0.9, 0.1, 0.2], [0.1, 0.9, 0.1], [0.2, 0.1, 0.8]])
    >>> result = similarity_intervals(oo, np.full((3, 3), 0.5), oo, seed=0, replicates=20)
    >>> tuple(result["de_id"]), tuple(result["g_vd"])
    ((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    """
    matrices = [np.asarray(m, dtype=np.float64) for m in (matrix_oo, matrix_oa, matrix_aa)]
    size = len(matrices[0])
    dominance = np.array(
        [
            [_weighted_dominance(matrix, counts) for matrix in matrices]
            for counts in (_draw(size, seed, b) for b in range(replicates))
        ]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = 10 * np.log10(dominance[:, 2] / dominance[:, 0])
        shares = 1 - dominance[:, 1] / dominance[:, 0]
    tail = widened_tail(size, level)
    estimates = {"g_vd": g_vd(matrices[2], matrices[0]), "de_id": de_id(matrices[1], matrices[0])}
    result = {}
    for name, rows in (("g_vd", gains), ("de_id", shares)):
        low, high = np.quantile(rows, [tail, 1 - tail], method="inverted_cdf")
        value = estimates[name]
        result[name] = MetricInterval(value, float(min(low, value)), float(max(high, value)))
    return result


def _draw(size: int, seed: int, replicate: int) -> np.ndarray:
    """Count how often each speaker is drawn, anew as long as it is one speaker only."""
    rng = rng_for(seed, "similarity_bootstrap", replicate)
    for _ in range(MAX_DRAWS):
        counts = np.bincount(rng.choice(size, size), minlength=size)
        if np.count_nonzero(counts) > 1:
            return counts
    raise ValueError(f"{size} speakers are too few to resample")


def _weighted_dominance(matrix: np.ndarray, counts: np.ndarray) -> float:
    pairs = np.outer(counts, counts) * ~np.eye(len(counts), dtype=bool)
    diagonal = counts @ np.diag(matrix) / counts.sum()
    return float(abs(diagonal - (pairs * matrix).sum() / pairs.sum()))
