"""Paired comparison of systems scored on the same trials, with Holm's control of multiplicity."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr

from scripts.lib.metrics.bootstrap import (
    ClusteredTrials,
    Design,
    replicate_metrics,
    widened_tail,
)
from scripts.lib.metrics.score_metrics import NUMERIC_METRICS, score_metrics_of


class Comparison(NamedTuple):
    """Difference of a metric, second system minus first, its interval and two-sided p-values."""

    first: str
    second: str
    metric: str
    difference: float
    low: float
    high: float
    p_value: float
    p_holm: float


def compare_systems(
    scores: Mapping[str, ArrayLike],
    is_target: ArrayLike,
    enrol_speaker: ArrayLike,
    trial_speaker: ArrayLike,
    *,
    seed: int,
    pairs: Sequence[tuple[str, str]] | None = None,
    metrics: Sequence[str] = NUMERIC_METRICS,
    replicates: int = 1000,
    level: float = 0.95,
    design: Design = "speaker",
) -> list[Comparison]:
    """Test whether systems differ, by a speaker-clustered bootstrap of metric differences.

    Every replicate draws the same speakers for all systems. The p-value is that of a t-test of the
    difference with the bootstrap's standard error, widened by √(n/(n−1)) for n speakers with target
    trials, and n − 1 degrees of freedom. A share of replicates could not go below one in their
    number, which is too coarse after a correction for many comparisons.

    Parameters
    ----------
    scores
        Per system, one score per trial, all in the same order of trials.
    is_target, enrol_speaker, trial_speaker, design
        As in `ClusteredTrials`.
    seed
        Seed of the draws of speakers.
    pairs
        Systems to compare; every pair when left out.
    metrics
        Metrics to compare. `p_holm` adjusts over the pairs compared by the same metric.
    replicates, level
        Number of resampled lists and coverage aimed at.

    Examples
    --------
    >>> grid = np.array([(e, t) for e in "abcd" for t in "abcd" for _ in range(5)])
    >>> same = grid[:, 0] == grid[:, 1]
    >>> scores = {"weak": np.sin(np.arange(80)), "strong": np.sin(np.arange(80)) + 5 * same}
    >>> [row] = compare_systems(
    ...     scores, same, grid[:, 0], grid[:, 1], seed=0, metrics=["eer"], replicates=50
    ... )
    >>> row.difference < 0, row.p_holm < 0.05
    (True, True)
    """
    pairs = list(combinations(scores, 2)) if pairs is None else list(pairs)
    unknown = sorted({name for pair in pairs for name in pair} - set(scores))
    if unknown or not pairs:
        raise ValueError(f"no scores of {unknown}" if unknown else "no two systems to compare")
    unknown = sorted(set(metrics) - set(NUMERIC_METRICS))
    if unknown:
        raise ValueError(f"unknown metrics {unknown}: choose from {', '.join(NUMERIC_METRICS)}")
    estimates, rows, n_speakers = {}, {}, 0
    for name in {name: None for pair in pairs for name in pair}:
        trials = ClusteredTrials(scores[name], is_target, enrol_speaker, trial_speaker, design)
        values = score_metrics_of(trials.scores.ranking())
        estimates[name] = np.array([values[metric] for metric in NUMERIC_METRICS])
        rows[name] = replicate_metrics(trials, seed=seed, replicates=replicates)
        n_speakers = trials.n_target_speakers
    results = []
    for metric in metrics:
        index = NUMERIC_METRICS.index(metric)
        found = [
            _difference(
                estimates[second][index] - estimates[first][index],
                rows[second][:, index] - rows[first][:, index],
                n_speakers,
                level,
            )
            for first, second in pairs
        ]
        adjusted = holm([row[-1] for row in found])
        for pair, row, p_holm in zip(pairs, found, adjusted, strict=True):
            results.append(Comparison(*pair, metric, *row, float(p_holm)))
    return results


def holm(p_values: ArrayLike) -> np.ndarray:
    """Return Holm's step-down adjusted p-values, in the order given.

    Rejecting those at most α keeps the chance of any false rejection below α.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ValueError("p-values are a 1-D list of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def _difference(
    estimate: float, rows: np.ndarray, n_speakers: int, level: float
) -> tuple[float, float, float, float]:
    """Difference, widened percentile interval about it, and p-value."""
    tail = widened_tail(n_speakers, level)
    # the systems' biases mostly cancel: taking off their difference twice would only add noise
    low, high = np.quantile(rows, [tail, 1 - tail]) - (rows.mean() - estimate)
    error = rows.std(ddof=1) * np.sqrt(n_speakers / (n_speakers - 1))
    if error > 0:
        p_value = 2 * stdtr(n_speakers - 1, -abs(estimate) / error)
    else:  # no replicate differs: the systems are the same, or differ everywhere alike
        p_value = 1.0 if estimate == 0 else 1 / (rows.size + 1)
    ends = min(low, estimate), max(high, estimate)
    return float(estimate), float(ends[0]), float(ends[1]), float(p_value)
