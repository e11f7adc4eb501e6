"""The fast EER sweep and the package's other metrics against hand-computed and oracle values."""

import numpy as np
import pytest
from legal_eval import sweeps
from legal_eval.demo import split_corpus, synthetic_corpus
from legal_eval.embeddings import build_speaker_embeddings, build_test_embeddings
from legal_eval.io import ScoreMatrix
from legal_eval.metrics import count_beaters, linkability
from legal_eval.metrics import rocch_eer as package_rocch_eer
from legal_eval.scoring import cosine_score_matrix

from scripts.lib.legal.eer_sweep import EmbeddedTrials, eer_sweep
from scripts.lib.metrics.rocch_eer import rocch_eer_of_counts

SPK2UTT, VECTORS = synthetic_corpus()
FIRST, SECOND = split_corpus(SPK2UTT, 6)
ENROLLED = build_speaker_embeddings(FIRST, VECTORS)
TESTED, _ = build_test_embeddings(SECOND, VECTORS, 1, "first")
MATRIX = cosine_score_matrix(ENROLLED, TESTED)


@pytest.mark.parametrize("trials", [MATRIX, EmbeddedTrials(ENROLLED, TESTED)])
def test_equals_the_package(trials):
    options = {"n_runs": 3, "seed": 4, "max_nontarget_per_speaker": 40}
    theirs = sweeps.eer_sweep(MATRIX, [2, 10, 30, 60], **options)
    ours = eer_sweep(trials, [2, 10, 30, 60], **options)
    assert ours.metadata == theirs.metadata
    for count, values in theirs.values.items():
        assert ours.values[count] == pytest.approx(values, abs=1e-12)


def test_equals_the_package_over_several_blocks_and_ties():
    # 700 test items of 300 speakers, scores of one decimal so that many are equal
    rng = np.random.default_rng(1)
    own = rng.integers(300, size=700)
    scores = rng.normal(size=(300, 700))
    scores[own, np.arange(700)] += 1.5
    names = [f"s{i}" for i in range(300)]
    matrix = ScoreMatrix(scores.round(1), names, [names[i] for i in own], {})
    theirs = sweeps.eer_sweep(matrix, [5, 120, 300], n_runs=2, max_nontarget_per_speaker=60)
    ours = eer_sweep(matrix, [5, 120, 300], n_runs=2, max_nontarget_per_speaker=60)
    for count, values in theirs.values.items():
        assert ours.values[count] == pytest.approx(values, abs=1e-12)


def test_oracle_value():
    assert eer_sweep(MATRIX, [60], n_runs=1).values[60] == pytest.approx([0.183453], abs=1e-6)


@pytest.mark.parametrize(
    ("target", "nontarget", "rate"),
    [
        ([0.9, 0.8, 0.3], [0.7, 0.2, 0.1, 0.05], 1 / 7),
        ([3, 4, 5, 6], [1, 2, 3.5, 4.5], 0.25),
        ([2, 3], [0, 1], 0.0),
        ([0, 1], [2, 3], 0.5),
        ([1, 1], [1, 1], 0.5),
    ],
)
def test_rocch_examples(target, nontarget, rate):
    below = np.searchsorted(np.sort(nontarget), np.sort(target))
    weight = np.ones(len(target), dtype=int)
    ours = rocch_eer_of_counts(weight, below, len(nontarget))
    assert ours == pytest.approx(rate, abs=1e-12)
    assert package_rocch_eer(np.array(target), np.array(nontarget)) == pytest.approx(rate)


def test_linkability_hand_check():
    scores = np.array([[0.9, 0.1, 0.2], [0.3, 0.5, 0.6], [0.2, 0.4, 0.55], [0.1, 0.7, 0.1]])
    matrix = ScoreMatrix(scores, list("abcd"), list("abc"), {})
    assert count_beaters(matrix).tolist() == [0, 1, 1]
    exact = [linkability(matrix, size, estimator="exact")[0] for size in (1, 2, 3, 4)]
    assert exact == pytest.approx([1, 7 / 9, 5 / 9, 1 / 3], abs=1e-12)


def test_linkability_oracle_values():
    exact = [linkability(MATRIX, size, estimator="exact")[0] for size in (2, 10, 60)]
    assert exact == pytest.approx([0.89661, 0.60774, 0.316667], abs=1e-5)
    sampled = [0.533333, 0.616667, 0.616667, 0.65, 0.583333]
    assert linkability(MATRIX, 10) == pytest.approx(sampled, abs=1e-6)


def test_errors_name_what_is_wrong():
    with pytest.raises(ValueError, match=r"population of 61 speakers .* 2 to 60"):
        eer_sweep(MATRIX, [61])
    with pytest.raises(ValueError, match="test speaker spk0000 is not enrolled"):
        eer_sweep(EmbeddedTrials({"x": np.ones(32), "y": np.ones(32)}, TESTED), [2])
    with pytest.raises(ValueError, match="2 speakers are named for 60 test items"):
        eer_sweep(MATRIX, [2], test_speakers=["spk0000", "spk0001"])
    scores = MATRIX.scores.copy()
    scores[3, 5] = np.nan
    broken = ScoreMatrix(scores, MATRIX.enroll_speakers, MATRIX.test_speakers, {})
    with pytest.raises(ValueError, match=r"test item 5 \(speaker spk0005\)"):
        eer_sweep(broken, [10])
    with pytest.raises(ValueError, match=r"speaker spk0002: .* is not finite"):
        EmbeddedTrials({**ENROLLED, "spk0002": np.full(32, np.nan)}, TESTED)
