"""The fast Singling Out sweep against `legal_eval`, draw by draw, and against chance."""

from functools import cache

import numpy as np
import pytest
from legal_eval import sweeps
from legal_eval.demo import split_corpus, synthetic_corpus
from legal_eval.embeddings import build_speaker_embeddings
from legal_eval.metrics import isolation_threshold

from scripts.lib.legal import isolation
from scripts.lib.legal.chance import singling_out_floor
from scripts.lib.legal.conversations import fold_groups, stream
from scripts.lib.legal.isolation import draw_others
from scripts.lib.legal.singling_out import singling_out_sweep

SMALL = {"n_runs": 4, "n_folds": 3, "seed": 3}


@cache
def corpus(mixed: bool):
    """120 speakers of 18 test utterances each, or of 1 to 18; every third is enrolled."""
    spk2utt, vectors = synthetic_corpus(n_speakers=120, n_utterances=24, dim=16)
    first, second = split_corpus(spk2utt, 6)
    if mixed:
        rng = np.random.default_rng(5)
        second = {name: items[: rng.integers(1, 19)] for name, items in second.items()}
    enrolled = build_speaker_embeddings(dict(list(first.items())[::3]), vectors)
    return enrolled, second, vectors


@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("length", [1, 3])
@pytest.mark.parametrize("vary_folds", [True, False])
def test_equals_the_package_draw_by_draw(mixed, length, vary_folds):
    arguments = *corpus(mixed), length, [2, 10, 40, 75]
    theirs = sweeps.singling_out_sweep(*arguments, **SMALL, vary_folds=vary_folds)
    ours = singling_out_sweep(*arguments, **SMALL, vary_folds=vary_folds)
    assert ours.values == theirs.values
    assert theirs.metadata.items() <= ours.metadata.items()
    assert len(ours.values[2]) == 3 * ours.metadata["n_enroll_evaluated"]


@pytest.mark.parametrize("cost", [0, 10**9])
def test_both_ways_to_evaluate_a_set_equal_the_package(cost, monkeypatch):
    monkeypatch.setattr(isolation, "GATHER_COST", cost)
    arguments = *corpus(True), 1, [2, 3, 10, 75]
    theirs = sweeps.singling_out_sweep(*arguments, **SMALL)
    assert singling_out_sweep(*arguments, **SMALL).values == theirs.values


def test_sets_that_need_more_than_the_sorted_scores_are_still_right(monkeypatch):
    monkeypatch.setattr(isolation, "GATHER_COST", 10**9)
    monkeypatch.setattr(isolation, "sqrt", lambda _: 0.0)  # no reserve: half the sets run out
    arguments = *corpus(False), 1, [20, 60, 119]
    theirs = sweeps.singling_out_sweep(*arguments, **SMALL)
    assert singling_out_sweep(*arguments, **SMALL).values == theirs.values


def test_default_grid_is_the_package_s():
    ours = singling_out_sweep(*corpus(False), 1, n_runs=1, n_folds=1)
    assert ours.speaker_counts == [30, 100, 120]


@pytest.mark.parametrize(
    ("length", "means"),
    [(1, [0.673333, 0.475556, 0.388889]), (3, [0.831111, 0.657778, 0.527778])],
)
def test_oracle_values(length, means):
    spk2utt, vectors = synthetic_corpus()
    first, second = split_corpus(spk2utt, 6)
    enrolled = build_speaker_embeddings(first, vectors)
    result = singling_out_sweep(enrolled, second, vectors, length, [2, 10, 60], n_folds=3)
    assert list(result.mean().values()) == pytest.approx(means, abs=1e-6)
    assert [len(values) for values in result.values.values()] == [180] * 3


@pytest.mark.parametrize("size", [1, 29, 240, 241, 600, 601, 5000, 11_999])
def test_draws_are_numpy_s_sets(size):
    # 12,000 others: numpy changes its way of drawing at 1/50, and without a shuffle at 1/20
    expected = np.random.default_rng((7, size + 1, 2, 3, 4)).choice(12_000, size, replace=False)
    drawn = draw_others(7, size + 1, 2, 3, 4, 12_001)
    assert np.array_equal(np.sort(drawn), np.sort(expected))


@pytest.mark.parametrize("seed", [0, 2**32 - 1, 2**32, 2**70])
def test_streams_are_numpy_s(seed):
    assert stream(seed, 5).random() == np.random.default_rng((seed, 5)).random()


def test_threshold_example():
    assert isolation_threshold(np.array([0.9, 0.8, 0.7, 0.6, 0.5]), 2) == 0.75


def test_disjoint_equals_overlapping_for_single_utterances():
    arguments = *corpus(True), 1, [2, 40]
    assert (
        singling_out_sweep(*arguments, **SMALL, calibration="disjoint").values
        == singling_out_sweep(*arguments, **SMALL).values
    )


def test_disjoint_conversations_share_no_utterance():
    # unit vectors: an average names the utterances it was made of
    spk2utt = {"a": [f"a{i}" for i in range(11)], "b": [f"b{i}" for i in range(6)]}
    names = [name for items in spk2utt.values() for name in items]
    vectors = dict(zip(names, np.eye(17), strict=True))
    options = {"n_folds": 2, "max_calibration": 9, "seed": 0, "vary_folds": True}
    for group in fold_groups(spk2utt, vectors, 3, **options, calibration="disjoint"):
        assert group.n_calibration.tolist() == [2, 1]
        used = group.vectors > 0
        assert (used.sum(axis=1) == 3).all()
        assert used.sum(axis=0).max() == 1
        assert (used[:, :11].any(axis=1) == (group.speaker == 0)).all()


def test_random_embeddings_are_at_the_floor():
    # outcomes of one enrolled speaker depend on each other, so the error is that over speakers
    rng = np.random.default_rng(0)
    spk2utt = {f"s{i}": [f"s{i}-{k}" for k in range(10)] for i in range(300)}
    vectors = {name: rng.normal(size=32) for items in spk2utt.values() for name in items}
    enrolled = {name: rng.normal(size=32) for name in spk2utt}
    result = singling_out_sweep(enrolled, spk2utt, vectors, 1, [200], n_folds=5)
    error = np.reshape(result.values[200], (5, 300)).mean(axis=0).std() / np.sqrt(300)
    assert error < 0.02
    assert result.mean()[200] == pytest.approx(singling_out_floor(9, 200), abs=4 * error)


def test_population_that_is_not_there():
    message = r"population of 121 .* 2 to 120, as 120 of 120 test speakers have the 2 utterances"
    with pytest.raises(ValueError, match=message):
        singling_out_sweep(*corpus(False), 1, [10, 121])


def test_too_few_utterances_name_a_speaker():
    enrolled, second, vectors = corpus(False)
    second = {**second, "spk0001": second["spk0001"][:3]}
    with pytest.raises(ValueError, match=r"give 2 to 119, .*; spk0001 has 3"):
        singling_out_sweep(enrolled, second, vectors, 3, [120])
    with pytest.raises(ValueError, match=r"0 of 120 test speakers has the 60 .*; spk0000 has 18"):
        singling_out_sweep(enrolled, second, vectors, 30)
    with pytest.raises(ValueError, match=r"none of the 1 enrolled speakers \(first: spk0001\)"):
        singling_out_sweep({"spk0001": enrolled["spk0000"]}, second, vectors, 3, [2])


def test_bad_embeddings_name_speaker_and_utterance():
    enrolled, second, vectors = corpus(False)
    name = second["spk0007"][2]
    for bad, message in [
        (np.full(16, np.inf), "is not finite"),
        (np.append(np.zeros(15), np.nan), "is not finite"),
        (np.ones(3), r"has shape \(3,\)"),
    ]:
        with pytest.raises(ValueError, match=f"speaker spk0007: .* utterance {name} {message}"):
            singling_out_sweep(enrolled, second, {**vectors, name: bad}, 1, [10])
    without = {key: value for key, value in vectors.items() if key != name}
    with pytest.raises(ValueError, match=f"speaker spk0007: no embedding of utterance {name}"):
        singling_out_sweep(enrolled, second, without, 1, [10])
    with pytest.raises(ValueError, match=r"speaker spk0003: .* is not finite"):
        singling_out_sweep({**enrolled, "spk0003": np.full(16, np.nan)}, second, vectors, 1, [10])
