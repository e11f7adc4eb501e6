"""Confidence intervals of the legal metrics from a bootstrap over speakers.

The package states a spread over runs, which says nothing about other speakers. Here the enrolled
speakers (Singling Out) or the test speakers (Linkability, EER) are drawn with replacement; the
population that they are searched in stays as it is.
"""

from collections.abc import Sequence

import numpy as np
from legal_eval.io import ScoreMatrix
from legal_eval.sweeps import SweepResult
from scipy.special import gammaln

from scripts.lib.legal.eer_sweep import BLOCK, EmbeddedTrials, draw_nontargets, own_rows, trials_of
from scripts.lib.metrics.bootstrap import MetricInterval, widened_tail
from scripts.lib.metrics.rocch_eer import rocch_eer_of_counts
from scripts.lib.seeding import rng_for


def singling_out_interval(
    result: SweepResult, count: int, *, seed: int, replicates: int = 1000, level: float = 0.95
) -> MetricInterval:
    """Return π_sing at one population size with its interval over enrolled speakers.

    Parameters
    ----------
    result
        What `singling_out_sweep` returned.
    count
        Population size N, one of the sweep's.
    seed
        Seed of the draws of speakers.
    replicates
        Number of draws.
    level
        Coverage aimed at.

    Examples
    --------
    >>> result = SweepResult("singling_out", 1, {30: [0.2, 0.6, 0.4, 0.8]}, {"n_folds": 2})
    >>> round(singling_out_interval(result, 30, seed=0).estimate, 6)  # of two enrolled speakers
    0.5
    """
    values = np.reshape(result.values[count], (result.metadata["n_folds"], -1)).mean(axis=0)
    times = resample_speakers(values.size, seed=seed, replicates=replicates)
    return _interval(values.mean(), times @ values / values.size, values.size, level)


def linkability_interval(
    beaters: np.ndarray,
    test_speakers: Sequence[str],
    n_enroll: int,
    count: int,
    *,
    seed: int,
    replicates: int = 1000,
    level: float = 0.95,
) -> MetricInterval:
    """Return the exact π_link at one population size with its interval over test speakers.

    Parameters
    ----------
    beaters
        Enrolled speakers that outscore the own one, per test item: the package's `count_beaters`.
    test_speakers
        Speaker of each test item.
    n_enroll
        Number of enrolled speakers.
    count
        Population size N′.
    seed, replicates, level
        As in `singling_out_interval`.

    Examples
    --------
    >>> found = linkability_interval(np.array([0, 1, 1]), "abc", 4, 2, seed=0)
    >>> round(found.estimate, 6)  # 7/9
    0.777778
    """
    if not 1 <= count <= n_enroll:
        raise ValueError(f"a population of {count} speakers is asked for: give 1 to {n_enroll}")
    worse, drawn = n_enroll - 1 - np.asarray(beaters, dtype=np.float64), count - 1
    enough = worse >= drawn  # else a beater is always drawn
    room = np.where(enough, worse, drawn)
    chance = gammaln(room + 1) - gammaln(room - drawn + 1)
    chance -= gammaln(n_enroll) - gammaln(n_enroll - drawn)
    linked = np.where(enough, np.exp(chance), 0.0)
    speaker = _codes(test_speakers)
    items = np.bincount(speaker)
    times = resample_speakers(items.size, seed=seed, replicates=replicates)
    means = times @ np.bincount(speaker, weights=linked) / (times @ items)
    return _interval(linked.mean(), means, items.size, level)


def one_minus_eer_interval(
    score_matrix: ScoreMatrix | EmbeddedTrials,
    count: int,
    *,
    seed: int,
    draw_seed: int = 0,
    max_nontarget_per_speaker: int = 500,
    replicates: int = 1000,
    level: float = 0.95,
) -> MetricInterval:
    """Return 1 − EER of a sweep's first run at one size with its interval over test speakers.

    A test item counts as often as its speaker was drawn, with its target and its non-targets. How
    many non-targets of each item lie below each target is counted once; a replicate is a weighted
    sum of these counts.

    Parameters
    ----------
    score_matrix, max_nontarget_per_speaker
        As in `eer_sweep`.
    count
        Population size N′.
    seed, replicates, level
        As in `singling_out_interval`.
    draw_seed
        The sweep's seed of the non-targets.
    """
    trials = trials_of(score_matrix)
    n_enroll = len(trials.enroll_speakers)
    if not 2 <= count <= n_enroll:
        raise ValueError(f"a population of {count} speakers is asked for: give 2 to {n_enroll}")
    own = own_rows(trials)
    size = min(count - 1, max_nontarget_per_speaker)
    speaker = _codes(trials.test_speakers)
    n_speakers = int(speaker.max()) + 1
    times = resample_speakers(n_speakers, seed=seed, replicates=replicates)
    weight = np.concatenate([np.ones((1, n_speakers)), times])[:, speaker]  # the list itself first
    target = trials.targets(own)
    order = np.argsort(target, kind="stable")
    target = target[order]
    below = np.zeros(weight.shape)
    generator = np.random.default_rng((draw_seed, count, 0))
    for start in range(0, own.size, BLOCK):
        rows = own[start : start + BLOCK].tolist()
        scores = trials.block(start, start + len(rows))
        counts = np.empty((len(rows), own.size))
        for place, row in enumerate(rows):
            (drawn,) = draw_nontargets(scores[place], row, [size], [generator])
            counts[place] = np.searchsorted(np.sort(drawn), target)
        below += weight[:, start : start + len(rows)] @ counts
    weight, below = weight[:, order].astype(np.int64), below.astype(np.int64)
    values = np.empty(len(weight))
    for place, (times_drawn, lower) in enumerate(zip(weight, below, strict=True)):
        kept = times_drawn > 0
        total = size * int(times_drawn.sum())
        values[place] = 1 - rocch_eer_of_counts(times_drawn[kept], lower[kept], total)
    return _interval(values[0], values[1:], n_speakers, level)


def resample_speakers(n_speakers: int, *, seed: int, replicates: int) -> np.ndarray:
    """Return how often each speaker is drawn in each replicate, shape (replicates, speakers).

    A replicate is the same whatever the number of replicates.

    Examples
    --------
    >>> resample_speakers(5, seed=0, replicates=3).sum(axis=1).tolist()
    [5, 5, 5]
    """
    if replicates < 2:
        raise ValueError(f"a bootstrap needs two or more replicates, not {replicates}")
    if n_speakers < 2:
        raise ValueError(f"{n_speakers} speaker: speakers can only be resampled from two on")
    draws = (
        rng_for(seed, "legal_bootstrap", b).integers(n_speakers, size=n_speakers)
        for b in range(replicates)
    )
    return np.stack([np.bincount(draw, minlength=n_speakers) for draw in draws])


def _codes(names: Sequence[str]) -> np.ndarray:
    return np.unique(np.asarray(list(names), dtype=str), return_inverse=True)[1]


def _interval(estimate: float, values: np.ndarray, n_speakers: int, level: float) -> MetricInterval:
    """Percentiles, widened for few speakers, less twice the bias, as for the other metrics."""
    tail = widened_tail(n_speakers, level)
    shift = 2 * (values.mean() - estimate)
    low, high = np.clip(np.quantile(values, [tail, 1 - tail]) - shift, 0.0, 1.0)
    return MetricInterval(float(estimate), float(min(low, estimate)), float(max(high, estimate)))
