"""The speaker-clustered bootstrap: reproducible, exact at unit weights, and of the right width."""

import numpy as np
import pytest

from scripts.lib.metrics import NUMERIC_METRICS, bootstrap_intervals, score_metrics
from scripts.lib.metrics.bootstrap import ClusteredTrials, replicate_metrics, widened_tail
from scripts.lib.metrics.score_metrics import METRIC_RANGES, score_metrics_of


def make_trials(rng, *, enrolled=8, tested=10, utterances=6, spread=0.0, noise=1.0, gap=2.0):
    """Every enrolled speaker against every utterance; `spread` is the speakers' own deviation."""
    enrol = np.repeat(np.arange(enrolled), tested * utterances)
    trial = np.tile(np.repeat(np.arange(tested), utterances), enrolled)
    same = enrol == trial
    ease = gap + spread * rng.normal(size=tested)
    score = noise * rng.normal(size=enrol.size) + same * ease[trial]
    return score, same, enrol, trial


def test_same_seed_same_numbers_and_order_of_trials_does_not_matter():
    trials = make_trials(np.random.default_rng(1))
    first = bootstrap_intervals(*trials, seed=7, replicates=40)
    assert first == bootstrap_intervals(*trials, seed=7, replicates=40)
    assert first != bootstrap_intervals(*trials, seed=8, replicates=40)
    order = np.random.default_rng(2).permutation(trials[0].size)
    shuffled = bootstrap_intervals(*(column[order] for column in trials), seed=7, replicates=40)
    for name in NUMERIC_METRICS:
        assert shuffled[name] == pytest.approx(first[name], abs=1e-12)


def test_more_replicates_begin_with_the_same_ones():
    trials = ClusteredTrials(*make_trials(np.random.default_rng(1)))
    few, many = (replicate_metrics(trials, seed=3, replicates=count) for count in (5, 12))
    assert few.tolist() == many[:5].tolist()


@pytest.mark.parametrize("digits", [9, 0])
def test_unit_weights_give_the_metrics_of_the_list(digits):
    score, same, enrol, trial = make_trials(np.random.default_rng(3))
    score = score.round(digits)
    trials = ClusteredTrials(score, same, enrol, trial)
    ones = np.ones(same.sum(), dtype=int), np.ones((~same).sum(), dtype=int)
    expected = score_metrics(score[same], score[~same])
    assert score_metrics_of(trials.scores.ranking(*ones)) == expected
    intervals = bootstrap_intervals(score, same, enrol, trial, seed=0, replicates=3)
    assert {name: intervals[name].estimate for name in NUMERIC_METRICS} == {
        name: expected[name] for name in NUMERIC_METRICS
    }


@pytest.mark.parametrize("digits", [9, 0])
def test_weights_give_the_metrics_of_the_repeated_list(digits):
    rng = np.random.default_rng(4)
    score, same, enrol, trial = make_trials(rng)
    trials = ClusteredTrials(score.round(digits), same, enrol, trial)
    for _ in range(5):
        ranking = trials.draw(rng)
        repeated = (
            np.repeat(trials.scores.target, np.diff(ranking.target_cumulative)),
            np.repeat(trials.scores.nontarget, np.diff(ranking.nontarget_cumulative)),
        )
        assert score_metrics_of(ranking) == pytest.approx(score_metrics(*repeated), abs=1e-9)


def trial_weights(trials, rng):
    """How often each trial occurs in a draw, found through scores that number the trials."""
    ranking = trials.draw(rng)
    weight = np.empty(trials.scores.target.size + trials.scores.nontarget.size, dtype=int)
    weight[trials.scores.target.astype(int)] = np.diff(ranking.target_cumulative)
    weight[trials.scores.nontarget.astype(int)] = np.diff(ranking.nontarget_cumulative)
    return weight


def test_weights_are_products_of_how_often_speakers_were_drawn():
    rng = np.random.default_rng(5)
    _, same, enrol, trial = make_trials(rng, enrolled=4, tested=6, utterances=2)
    number = np.arange(same.size, dtype=float)
    for _ in range(20):
        weight = trial_weights(ClusteredTrials(number, same, enrol, trial), rng)
        count = {s: set(weight[same & (enrol == s)]) for s in range(4)}
        assert all(len(values) == 1 for values in count.values())
        count = np.array([values.pop() for values in count.values()])
        assert count.sum() == 4  # the four who are enrolled and tested
        known = ~same & (trial < 4)
        assert weight[known].tolist() == (count[enrol] * count[trial % 4])[known].tolist()
        others = ~same & (trial >= 4)
        assert set(weight[others & (count[enrol] == 0)]) <= {0}
        total = weight[others].reshape(4, 2, 2)[:, :, 0].sum()
        assert total == count.sum() * 2  # the two who are only tested


def test_product_design_weights_targets_by_both_draws():
    rng = np.random.default_rng(6)
    _, same, enrol, trial = make_trials(rng, enrolled=3, tested=3, utterances=1)
    number = np.arange(9, dtype=float)
    for _ in range(20):
        table = trial_weights(ClusteredTrials(number, same, enrol, trial, "product"), rng)
        table = table.reshape(3, 3)
        assert table.sum() == 9
        assert np.linalg.matrix_rank(table) == 1  # an outer product of two sets of counts
        assert table.sum(axis=1).max() % 3 == 0


def test_interval_widens_with_the_speakers_own_deviation():
    """Same number of trials: what differs between speakers must show in the interval."""
    widths = []
    for spread in (0.0, 2.0):
        trials = make_trials(np.random.default_rng(7), utterances=30, spread=spread)
        interval = bootstrap_intervals(*trials, seed=1, replicates=100)["eer"]
        widths.append(interval.high - interval.low)
    assert widths[1] > 2 * widths[0]


@pytest.mark.parametrize("metric", ["eer", "cllr_min", "linkability"])
def test_intervals_stay_in_range_and_hold_the_estimate(metric):
    for gap in (0.0, 1.0, 8.0):
        trials = make_trials(np.random.default_rng(8), gap=gap)
        estimate, low, high = bootstrap_intervals(*trials, seed=1, replicates=60)[metric]
        floor, ceiling = METRIC_RANGES[metric]
        assert floor <= low <= estimate <= high <= ceiling + 1e-6


def test_coverage_on_lists_with_known_clustering():
    """The 95 % interval holds the truth about as often as it says; trial-wise intervals do not.

    A speaker's targets score 1 with that speaker's own probability 0.4 or 1, else −1; non-targets
    score 0. So the true rate of recognised targets is 0.7, and the 12 speakers differ far more than
    their 40 utterances each would by chance.
    """
    covered = naive = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        _, same, enrol, trial = make_trials(rng, enrolled=12, tested=12, utterances=40)
        rate = rng.choice([0.4, 1.0], size=12)
        hit = rng.random(same.size) < rate[trial]
        score = np.where(same, np.where(hit, 1.0, -1.0), 0.0)
        estimate, low, high = bootstrap_intervals(
            score, same, enrol, trial, seed=seed, replicates=100
        )["tpr_at_fpr_1"]
        covered += low <= 0.7 <= high
        naive += abs(estimate - 0.7) <= 1.96 * np.sqrt(0.7 * 0.3 / same.sum())
    # binomial(40, 0.95) is below 34 once in 700 times
    assert covered >= 34
    assert naive <= 25


def test_tail_follows_student():
    """n = 2: t(0.975, 1) = 12.706, times √2, far out in the normal tail."""
    assert widened_tail(2, 0.95) < 1e-50
    assert widened_tail(10**6, 0.95) == pytest.approx(0.025, abs=1e-6)


def test_errors_count_and_name():
    score, same, enrol, trial = make_trials(np.random.default_rng(9), enrolled=2, tested=2)
    with pytest.raises(ValueError, match="differ in shape"):
        bootstrap_intervals(score, same, enrol, trial[:-1], seed=0)
    with pytest.raises(ValueError, match="24 target, 0 nontarget"):
        bootstrap_intervals(score, np.ones_like(same), enrol, trial, seed=0)
    with pytest.raises(ValueError, match=r"24 of 24 labels are neither 1 nor 0 \(first: target"):
        bootstrap_intervals(score, np.where(same, "target", "nontarget"), enrol, trial, seed=0)
    flipped = same.copy()
    flipped[0] = False
    with pytest.raises(
        ValueError, match=r"1 of 24 labels contradict .* trial 0, 0 and 0, target 0"
    ):
        bootstrap_intervals(score, flipped, enrol, trial, seed=0)
    with pytest.raises(ValueError, match="design is 'trial'"):
        bootstrap_intervals(score, same, enrol, trial, seed=0, design="trial")
    with pytest.raises(ValueError, match="two or more replicates, not 1"):
        bootstrap_intervals(score, same, enrol, trial, seed=0, replicates=1)
    one = enrol == 0
    with pytest.raises(ValueError, match="1 speaker with target trials"):
        bootstrap_intervals(*(c[one] for c in (score, same, enrol, trial)), seed=0, replicates=2)
    with pytest.raises(ValueError, match="confidence level"):
        bootstrap_intervals(score, same, enrol, trial, seed=0, replicates=2, level=95)
    with pytest.raises(ValueError, match="1 of 24 trial scores is not finite"):
        bootstrap_intervals(np.where(np.arange(24) == 3, np.nan, score), same, enrol, trial, seed=0)
