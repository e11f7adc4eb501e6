"""Equal error rates against literal loops and independent implementations."""

import json
import subprocess
import sys

import audmetric
import numpy as np
import pytest

from scripts.lib.metrics import eer, eer_interpolated, eer_interval
from scripts.lib.metrics.eer import eer_of
from scripts.lib.metrics.eer_interpolated import eer_interpolated_of
from scripts.lib.metrics.ranking import sort_scores


def kaldi_loop(target, nontarget):
    """The loop of vpc2020 section 7.1, word for word."""
    target, nontarget = np.sort(np.float32(target)), np.sort(np.float32(nontarget))
    position = 0
    while position + 1 < len(target):
        rank = max(0, len(nontarget) - 1 - len(nontarget) * position // len(target))
        if nontarget[rank] < target[position]:
            break
        position += 1
    return position / len(target)


def threshold_loop(target, nontarget):
    """The definition of vpc2024 section 5.3 with every threshold tried, midpoints included."""
    target, nontarget = np.float32(target), np.float32(nontarget)
    distinct = np.unique(np.concatenate([target, nontarget]))
    thresholds = np.sort(np.concatenate([distinct, (distinct[:-1] + distinct[1:]) / 2]))
    best = None
    for threshold in thresholds:
        frr = np.float32((target <= threshold).sum()) / np.float32(target.size)
        far = np.float32((nontarget > threshold).sum()) / np.float32(nontarget.size)
        if best is None or abs(far - frr) < best[0]:
            best = abs(far - frr), (float(far) + float(frr)) / 2
    return best[1]


def lists(seed, count=60):
    """Small lists of all kinds: continuous, tied, inverted, of very unequal size."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        target = rng.normal(rng.choice([-1.0, 0.0, 1.0, 3.0]), 1, rng.integers(1, 30))
        nontarget = rng.normal(0, 1, rng.integers(1, 60))
        if rng.random() < 0.5:
            target, nontarget = np.round(2 * target), np.round(2 * nontarget)
        yield target, nontarget


def test_challenge_eer_is_the_loop():
    for target, nontarget in lists(1):
        assert eer(target, nontarget) == kaldi_loop(target, nontarget)


def test_eer_of_2024_is_the_threshold_search():
    for target, nontarget in lists(2):
        assert eer_interpolated(target, nontarget) == threshold_loop(target, nontarget)


SPEECHBRAIN = """
import json, sys, torch
from speechbrain.utils.metric_stats import EER
lists = json.load(sys.stdin)
print(json.dumps([EER(torch.tensor(tar), torch.tensor(non))[0] for tar, non in lists]))
"""


@pytest.mark.slow
def test_eer_of_2024_is_that_of_speechbrain():
    """In a process of its own: speechbrain's lazily loaded modules break pytest's inspection."""
    sample = [[target.tolist(), nontarget.tolist()] for target, nontarget in lists(4)]
    result = subprocess.run(
        [sys.executable, "-c", SPEECHBRAIN],
        input=json.dumps(sample),
        capture_output=True,
        text=True,
        check=True,
    )
    expected = json.loads(result.stdout.splitlines()[-1])
    found = [eer_interpolated(target, nontarget) for target, nontarget in sample]
    assert found == pytest.approx(expected, abs=1e-9)


def test_weights_stand_for_repeated_trials():
    rng = np.random.default_rng(3)
    for target, nontarget in lists(3):
        scores = sort_scores(target, nontarget)
        weights = rng.integers(0, 4, target.size), rng.integers(0, 4, nontarget.size)
        if not all(weight.any() for weight in weights):
            continue
        repeated = np.repeat(scores.target, weights[0]), np.repeat(scores.nontarget, weights[1])
        ranking = scores.ranking(*weights)
        assert eer_of(ranking) == kaldi_loop(*repeated)
        assert eer_interpolated_of(ranking) == threshold_loop(*repeated)


def test_hand_made_list_of_2024():
    """Targets .9 .8 .3 and non-targets .7 .2 .1 .05: FRR 1/3, FAR 1/4 at threshold 0.3."""
    assert eer_interpolated([0.9, 0.8, 0.3], [0.7, 0.2, 0.1, 0.05]) == pytest.approx(0.2916667)


def test_inverted_scores_exceed_one_half():
    target, nontarget = np.arange(10.0), np.arange(10.0) + 20
    assert eer_interpolated(target, nontarget) == 1.0
    assert eer(target, nontarget) == 0.9  # the loop ends at the last target: (T − 1)/T


def test_scores_that_only_double_precision_tells_apart_are_tied():
    target, nontarget = np.full(4, 1.0 + 1e-12), np.full(4, 1.0)
    assert eer(target, nontarget) == 0.75
    assert eer_interpolated(target, nontarget) == 0.5
    assert eer(target + 1e-3, nontarget) == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_all_definitions_and_audmetric_coincide_for_equally_many_continuous_scores(seed):
    """With T = N and no ties, both error rates cross at k/T.

    Otherwise definitions differ: audmetric takes the smaller sum of rates on either side of the
    crossing, SpeechBrain the smaller difference, and the challenge rounds to 1/T.
    """
    rng = np.random.default_rng(seed)
    target, nontarget = rng.normal(1, 1, 301), rng.normal(0, 1, 301)
    truth = np.repeat([1, 0], 301)
    oracle, _ = audmetric.equal_error_rate(truth, np.concatenate([target, nontarget]))
    assert eer(target, nontarget) == pytest.approx(oracle, abs=1e-9)
    # SpeechBrain's rule counts in float32, so it agrees to single precision only
    assert eer_interpolated(target, nontarget) == pytest.approx(oracle, abs=1e-7)


@pytest.mark.parametrize(
    ("target", "nontarget", "half_width"),
    [(548, 11196, 1.96), (449, 9457, 2.17), (1944, 13056, 1.1), (346, 4838, 2.5)],
)
def test_interval_has_the_half_widths_of_the_protocol(target, nontarget, half_width):
    low, high = eer_interval(0.3, target, nontarget)
    printed = 0.005 if half_width != round(half_width, 1) else 0.05
    assert 100 * (high - low) / 2 == pytest.approx(half_width, abs=printed)
    assert (low + high) / 2 == pytest.approx(0.3)


def test_interval_rejects_percentages_and_empty_classes():
    with pytest.raises(ValueError, match="fraction between 0 and 1, not 30"):
        eer_interval(30, 100, 100)
    with pytest.raises(ValueError, match="0 target, 5 nontarget"):
        eer_interval(0.3, 0, 5)
    with pytest.raises(ValueError, match="confidence level"):
        eer_interval(0.3, 5, 5, level=95)
