"""PLDA on data drawn from known covariances, and against the joint Gaussian written out."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from scripts.lib.plda import (
    Plda,
    diagonalize,
    enrolment_rows,
    expected_length,
    fit_covariances,
    fit_lda,
    fit_plda,
    length_normalized,
    probe_rows,
)
from scripts.lib.scoring import load_scorer

PSI = np.array([4.0, 1.0, 0.25])
U = np.array([[1.0, -0.5, 0.3]])
V = np.array([[0.8, 0.2, -0.4]])


def make_covariance(rng, size):
    half = rng.normal(size=(size, size + 2))
    return half @ half.T / size


def draw(rng, between, within, counts, mean=0.0):
    """Vectors of speakers with the given numbers of utterances, and their labels."""
    size = len(between)
    labels = np.repeat(np.arange(len(counts)), counts)
    speakers = rng.multivariate_normal(np.zeros(size), between, len(counts))
    noise = rng.multivariate_normal(np.zeros(size), within, len(labels))
    return mean + speakers[labels] + noise, labels


@pytest.mark.parametrize(("count", "llr"), [(3, 0.285368), (1, 0.600007)])
def test_check_vector_of_the_protocol(count, llr):
    # The plan prints the normalised u for n = 3.
    u, v = expected_length(U, PSI, count), expected_length(V, PSI, 1)
    if count == 3:
        assert u[0] == pytest.approx([2.289033, -1.144516, 0.686710], abs=1e-6)
    assert v[0] == pytest.approx([2.637522, 0.659380, -1.318761], abs=1e-6)
    found = enrolment_rows(u, PSI, count) @ probe_rows(v).T
    assert found[0, 0] == pytest.approx(llr, abs=1e-6)


def joint_llr(enrolment, probe, between, within):
    """Same speaker against two speakers, from the Gaussian of all utterances side by side."""
    n, size = enrolment.shape
    same = np.kron(np.ones((n + 1, n + 1)), between) + np.kron(np.eye(n + 1), within)
    apart = same.copy()
    apart[: n * size, n * size :] = apart[n * size :, : n * size] = 0.0
    everything = np.concatenate([enrolment.ravel(), probe])
    zero = np.zeros(len(everything))
    return multivariate_normal(zero, same).logpdf(everything) - multivariate_normal(
        zero, apart
    ).logpdf(everything)


@pytest.mark.parametrize("count", [1, 2, 5])
def test_ratio_equals_that_of_the_joint_gaussian(count):
    rng = np.random.default_rng(count)
    between, within = make_covariance(rng, 4), make_covariance(rng, 4)
    transform, psi = diagonalize(between, within)
    enrolment, probes = rng.normal(size=(count, 4)), rng.normal(size=(3, 4))
    mean = enrolment.mean(axis=0, keepdims=True) @ transform.T
    found = enrolment_rows(mean, psi, count) @ probe_rows(probes @ transform.T).T
    expected = [joint_llr(enrolment, probe, between, within) for probe in probes]
    assert found[0] == pytest.approx(expected, abs=1e-9)


def test_single_utterances_score_the_same_both_ways():
    one = enrolment_rows(U, PSI, 1) @ probe_rows(V).T
    other = enrolment_rows(V, PSI, 1) @ probe_rows(U).T
    assert one[0, 0] == pytest.approx(other[0, 0], abs=1e-12)


def test_transform_makes_within_the_identity_and_between_diagonal():
    rng = np.random.default_rng(0)
    between, within = make_covariance(rng, 6), make_covariance(rng, 6)
    transform, psi = diagonalize(between, within)
    assert transform @ within @ transform.T == pytest.approx(np.eye(6), abs=1e-9)
    assert transform @ between @ transform.T == pytest.approx(np.diag(psi), abs=1e-9)
    assert (np.diff(psi) <= 0).all()


def test_covariances_are_found_again():
    rng = np.random.default_rng(1)
    between, within = 4.0 * make_covariance(rng, 5), make_covariance(rng, 5)
    mean = np.arange(5.0)
    # Speakers of one utterance are part of the model: they must not pull W down.
    counts = rng.integers(1, 9, 4000)
    vectors, labels = draw(rng, between, within, counts, mean)
    found = fit_covariances(vectors, labels, iterations=30)
    assert found.within == pytest.approx(within, abs=0.06 * np.abs(within).max())
    assert found.between == pytest.approx(between, abs=0.08 * np.abs(between).max())
    assert found.mean == pytest.approx(mean, abs=0.2)


def test_likelihood_never_falls():
    rng = np.random.default_rng(2)
    counts = rng.integers(1, 5, 40)
    vectors, labels = draw(rng, np.diag([9.0, 1.0, 0.01]), make_covariance(rng, 3), counts)
    found = fit_covariances(vectors, labels, iterations=25).log_likelihoods
    assert len(found) == 26
    assert (np.diff(found) > -1e-9).all()
    assert found[-1] > found[0]


def test_likelihood_is_that_of_the_joint_gaussian():
    rng = np.random.default_rng(3)
    counts = np.array([1, 3, 2, 2, 4])
    vectors, labels = draw(rng, np.eye(2), np.eye(2), counts)
    short, long = (fit_covariances(vectors, labels, iterations=n) for n in (1, 6))

    def log_density(found):
        total = 0.0
        for label, count in enumerate(counts):
            own = (vectors[labels == label] - found.mean).ravel()
            joint = np.kron(np.ones((count, count)), found.between)
            joint += np.kron(np.eye(count), found.within)
            total += multivariate_normal(np.zeros(len(own)), joint).logpdf(own)
        return total

    gain = long.log_likelihoods[-1] - short.log_likelihoods[-1]
    assert gain == pytest.approx(log_density(long) - log_density(short), abs=1e-9)


def test_lda_finds_the_direction_that_separates():
    rng = np.random.default_rng(4)
    # Speakers differ along the first axis only; within speakers, the second one varies most.
    vectors, labels = draw(rng, np.diag([4.0, 0, 0]), np.diag([1.0, 100.0, 1.0]), [20] * 50)
    projection = fit_lda(vectors - vectors.mean(axis=0), labels, 1)
    direction = np.abs(projection[0]) * [1.0, 10.0, 1.0]
    assert direction[0] > 10 * max(direction[1:])
    reduced = vectors @ projection.T
    within = np.mean([reduced[labels == label].var() for label in range(50)])
    assert within == pytest.approx(1.0, abs=1e-9)


def test_lda_keeps_no_more_than_the_speakers_span(caplog):
    rng = np.random.default_rng(5)
    vectors, labels = draw(rng, np.eye(6), np.eye(6), [5] * 4)
    assert fit_lda(vectors, labels, 200).shape == (3, 6)
    assert "LDA keeps 3 instead of 200 dimensions: there are 4 speakers" in caplog.text


def make_model(rng, **settings):
    vectors, labels = draw(rng, 2 * make_covariance(rng, 8), make_covariance(rng, 8), [6] * 60, 3.0)
    names = [f"s{label:03d}" for label in labels]
    chosen = {"lda": 5, "iterations": 10, "min_utterances": 1, **settings}
    return vectors, names, fit_plda(vectors, names, **chosen)


def test_scores_do_not_depend_on_the_basis_of_embeddings(tmp_path):
    vectors, names, model = make_model(np.random.default_rng(6))
    turn = np.random.default_rng(7).normal(size=(8, 8))
    moved = fit_plda(vectors @ turn + 5.0, names, lda=5, iterations=10, min_utterances=1)
    assert moved.psi == pytest.approx(model.psi, rel=1e-6)
    scores = []
    for number, (plda, data) in enumerate(((model, vectors), (moved, vectors @ turn + 5.0))):
        plda.save(tmp_path / f"{number}.npz")
        scorer = load_scorer({"method": "plda"}, [str(tmp_path / f"{number}.npz")])
        scores.append(scorer.score(scorer.enrol([data[:3], data[6:7]]), scorer.probe(data[10:30])))
    assert scores[0].shape == (2, 20)
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


def test_scorer_averages_raw_embeddings_and_counts_them(tmp_path):
    vectors, _, model = make_model(np.random.default_rng(8))
    model.save(tmp_path / "plda.npz")
    assert Plda.load(tmp_path / "plda.npz").psi.tolist() == model.psi.tolist()
    scorer = load_scorer({"method": "plda"}, [str(tmp_path / "plda.npz")])
    found = scorer.score(scorer.enrol([vectors[:4]]), scorer.probe(vectors[40:41]))

    def chain(vector, count):
        reduced = length_normalized((vector - model.mean) @ model.lda.T)
        return expected_length((reduced - model.centre) @ model.transform.T, model.psi, count)

    u, v = chain(vectors[:4].mean(axis=0)[None], 4)[0], chain(vectors[40:41], 1)[0]
    means, variances = 4 * model.psi / (4 * model.psi + 1) * u, 1 + model.psi / (4 * model.psi + 1)
    expected = multivariate_normal(means, np.diag(variances)).logpdf(v)
    expected -= multivariate_normal(np.zeros(5), np.diag(1 + model.psi)).logpdf(v)
    assert found[0, 0] == pytest.approx(expected, abs=1e-9)


def test_ratios_are_calibrated_on_data_of_the_model():
    """Among trials of equal odds, exp(LLR) says how much more often speakers are the same."""
    rng = np.random.default_rng(9)
    speakers = rng.normal(size=(20000, 1)) * 2.0
    u, v = (speakers + rng.normal(size=speakers.shape) for _ in range(2))
    target = np.sum(enrolment_rows(u, np.array([4.0]), 1) * probe_rows(v), axis=1)
    nontarget = np.sum(enrolment_rows(u, np.array([4.0]), 1) * probe_rows(v[::-1]), axis=1)
    for low, high in ((-1.0, 0.0), (0.0, 0.5)):
        inside = [((s >= low) & (s < high)).sum() for s in (target, nontarget)]
        assert low - 0.1 < np.log(inside[0] / inside[1]) < high + 0.1


def test_speakers_of_one_utterance_can_be_left_out(caplog):
    rng = np.random.default_rng(10)
    caplog.set_level("INFO")
    vectors, names, model = make_model(rng, min_utterances=2)
    lone = rng.normal(size=(30, 8)) * 50.0
    joined = np.vstack([vectors, lone])
    others = [f"lone{number}" for number in range(30)]
    again = fit_plda(joined, names + others, lda=5, iterations=10, min_utterances=2)
    assert again.psi == pytest.approx(model.psi, rel=1e-9)
    assert "left out: 30 speakers with fewer than 2 utterances" in caplog.text
    with pytest.raises(ValueError, match="30 speakers have 1 at most, and min_utterances is 2"):
        fit_plda(lone, others, lda=5, iterations=10, min_utterances=2)
