"""Confidence intervals of all score metrics from a speaker-clustered bootstrap.

Trials that share a speaker are not independent, so speakers are drawn with replacement, not trials.
The scores are sorted once; a replicate is the same ranking with other whole-number weights.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtrit

from scripts.lib.metrics.ranking import Ranking, SortedScores, check_labels, check_scores
from scripts.lib.metrics.score_metrics import METRIC_RANGES, NUMERIC_METRICS, score_metrics_of
from scripts.lib.seeding import rng_for

MAX_DRAWS = 1000
Design = Literal["speaker", "product"]


class MetricInterval(NamedTuple):
    """A metric's value on the list itself and the ends of its confidence interval."""

    estimate: float
    low: float
    high: float


class ClusteredTrials:
    """Scored trials with the speakers of both sides, sorted once for resampling.

    Parameters
    ----------
    score
        One finite score per trial.
    is_target
        Whether the trial's speakers are the same (1 or 0).
    enrol_speaker, trial_speaker
        Enrolled speaker and true speaker of the test utterance, per trial.
    design
        `speaker` draws persons: a target trial occurs as often as its speaker was drawn, a
        non-target trial as often as the product of its two speakers' counts. Persons who are
        enrolled, tested or both are drawn separately. `product` draws the enrolled and the trial
        speakers independently of each other and weights every trial by the product. As a target's
        speaker is then drawn twice, intervals get up to √3 times as wide as they should be.
    """

    def __init__(
        self,
        score: ArrayLike,
        is_target: ArrayLike,
        enrol_speaker: ArrayLike,
        trial_speaker: ArrayLike,
        design: Design = "speaker",
    ):
        score, truth = check_scores(score, "trial"), check_labels(is_target)
        enrol, trial = np.asarray(enrol_speaker, dtype=str), np.asarray(trial_speaker, dtype=str)
        shapes = [score.shape, truth.shape, enrol.shape, trial.shape]
        if len(set(shapes)) > 1:
            raise ValueError(
                "score, is_target, enrol_speaker and trial_speaker differ in shape: "
                + ", ".join(map(str, shapes))
            )
        if truth.all() or not truth.any():
            raise ValueError(
                f"both classes need a trial: {int(truth.sum())} target, "
                f"{int((~truth).sum())} nontarget"
            )
        if design not in ("speaker", "product"):
            raise ValueError(f"design is {design!r}: use 'speaker' or 'product'")
        wrong = truth != (enrol == trial)
        if wrong.any() and design == "speaker":
            first = int(wrong.argmax())
            raise ValueError(
                f"{int(wrong.sum())} of {truth.size} labels contradict the speakers (first: trial "
                f"{first}, {enrol[first]} and {trial[first]}, target {int(truth[first])}): give "
                "both sides the same speaker names, or use design='product'"
            )
        names, code = np.unique(np.concatenate([enrol, trial]), return_inverse=True)
        sides = code[: enrol.size], code[enrol.size :]
        enrolled, tested = (np.isin(np.arange(names.size), side) for side in sides)
        self.design = design
        if design == "speaker":
            groups = [enrolled & tested, enrolled & ~tested, tested & ~enrolled]
        else:
            groups = [enrolled, tested]
        self._n_speakers = names.size
        self._groups = [np.flatnonzero(group) for group in groups if group.any()]
        self.n_target_speakers = np.unique(sides[0][truth]).size
        ordered, self._sides = [], []
        for chosen in (truth, ~truth):
            order = np.argsort(score[chosen], kind="stable")
            ordered.append(score[chosen][order])
            self._sides.append([side[chosen][order] for side in sides])
        self.scores = SortedScores(*ordered)

    def draw(self, rng: np.random.Generator) -> Ranking:
        """Return a resampled list, drawn anew as long as a class has no trial."""
        for _ in range(MAX_DRAWS):
            counts = [
                np.bincount(rng.choice(group, group.size), minlength=self._n_speakers)
                for group in self._groups
            ]
            if self.design == "speaker":
                enrol_count = trial_count = sum(counts)
            else:
                enrol_count, trial_count = counts
            (target_enrol, target_trial), (other_enrol, other_trial) = self._sides
            target = enrol_count[target_enrol]
            if self.design == "product":
                target = target * trial_count[target_trial]
            other = enrol_count[other_enrol] * trial_count[other_trial]
            if target.any() and other.any():
                return self.scores.ranking(target, other)
        raise ValueError(
            f"{MAX_DRAWS} draws of speakers left a class without trials each: the list has "
            f"{self.n_target_speakers} speakers with target trials, too few to resample"
        )


def replicate_metrics(trials: ClusteredTrials, *, seed: int, replicates: int) -> np.ndarray:
    """Return `NUMERIC_METRICS` of resampled lists, shape (replicates, metrics).

    Replicate b draws the same speakers for every system that is scored on the same trials, and
    whatever the number of replicates.
    """
    if replicates < 2:
        raise ValueError(f"a bootstrap needs two or more replicates, not {replicates}")
    rows = np.empty((replicates, len(NUMERIC_METRICS)))
    for b in range(replicates):
        values = score_metrics_of(trials.draw(rng_for(seed, "speaker_bootstrap", b)))
        rows[b] = [values[name] for name in NUMERIC_METRICS]
    return rows


def bootstrap_intervals(
    score: ArrayLike,
    is_target: ArrayLike,
    enrol_speaker: ArrayLike,
    trial_speaker: ArrayLike,
    *,
    seed: int,
    replicates: int = 1000,
    level: float = 0.95,
    design: Design = "speaker",
) -> dict[str, MetricInterval]:
    """Return every numeric score metric of a trial list with its confidence interval.

    `benchmarks/metrics.md` states how often these intervals hold the truth. `worst_case` grows with
    the number of trials, so its interval is about lists of this size.

    Parameters
    ----------
    score, is_target, enrol_speaker, trial_speaker, design
        As in `ClusteredTrials`.
    seed
        Seed of the draws of speakers.
    replicates
        Number of resampled lists.
    level
        Coverage aimed at.

    Examples
    --------
    >>> grid = np.array([(e, t) for e in "abcd" for t in "abcd" for _ in range(5)])
    >>> score = np.sin(np.arange(80)) + 2 * (grid[:, 0] == grid[:, 1])
    >>> trials = score, grid[:, 0] == grid[:, 1], grid[:, 0], grid[:, 1]
    >>> estimate, low, high = bootstrap_intervals(*trials, seed=0, replicates=50)["eer"]
    >>> low <= estimate <= high
    True
    """
    trials = ClusteredTrials(score, is_target, enrol_speaker, trial_speaker, design)
    rows = replicate_metrics(trials, seed=seed, replicates=replicates)
    values = score_metrics_of(trials.scores.ranking())
    estimates = {name: values[name] for name in NUMERIC_METRICS}
    return summarise(estimates, rows, trials.n_target_speakers, level)


def summarise(
    estimates: Mapping[str, float], rows: np.ndarray, n_speakers: int, level: float
) -> dict[str, MetricInterval]:
    """Turn replicates into intervals.

    Two corrections make up for what the plain percentiles lack. Their tails are widened by
    √(n/(n−1))·t/z for few speakers n (Hesterberg 2015). And twice the bootstrap's bias is taken
    off, since repeated trials make scores look easier to calibrate and to bin: without it, the
    interval of linkability misses the truth two times in three for a well anonymized system.

    Parameters
    ----------
    estimates
        Metrics of the list itself.
    rows
        `NUMERIC_METRICS` of each replicate.
    n_speakers
        Number of speakers with target trials.
    level
        Coverage aimed at.
    """
    tail = widened_tail(n_speakers, level)
    low, high = np.quantile(rows, [tail, 1 - tail], axis=0)
    shift = 2 * (rows.mean(axis=0) - np.array([estimates[name] for name in NUMERIC_METRICS]))
    result = {}
    for index, name in enumerate(NUMERIC_METRICS):
        ends = np.clip(
            [low[index] - shift[index], high[index] - shift[index]], *METRIC_RANGES[name]
        )
        # after the shift and the limits of a metric's range, keep the estimate inside
        result[name] = MetricInterval(
            estimates[name],
            float(min(ends[0], estimates[name])),
            float(max(ends[1], estimates[name])),
        )
    return result


def widened_tail(n_speakers: int, level: float) -> float:
    """Return the tail probability at which to read percentiles of few clusters.

    Examples
    --------
    >>> round(widened_tail(15, 0.95), 4), round(widened_tail(10_000, 0.95), 4)
    (0.0132, 0.025)
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level}")
    if n_speakers < 2:
        raise ValueError(
            f"{n_speakers} speaker with target trials: speakers can only be resampled from two on"
        )
    quantile = stdtrit(n_speakers - 1, (1 + level) / 2)
    return float(ndtr(-np.sqrt(n_speakers / (n_speakers - 1)) * quantile))
