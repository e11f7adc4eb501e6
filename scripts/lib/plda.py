"""Linear discriminant analysis and two-covariance PLDA (vpc2020 sections 5.3 and 5.4).

A speaker is y ~ N(m, B) and an utterance x ~ N(y, W). In the basis where W = I and B = diag(ψ) the
log-likelihood ratio of "same speaker" against "two speakers" is a sum over dimensions.
"""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh, solve_triangular

from scripts.lib.files import atomic_path

logger = logging.getLogger(__name__)

# Kaldi's floor of within-class eigenvalues, relative to the largest.
EIGENVALUE_FLOOR = 1e-6


class Covariances(NamedTuple):
    """Mean of the class means, between-class B and within-class W, and the likelihood per step."""

    mean: np.ndarray
    between: np.ndarray
    within: np.ndarray
    log_likelihoods: tuple[float, ...]


class Plda(NamedTuple):
    """Everything from a raw embedding to a score.

    Attributes
    ----------
    mean
        Mean of the raw training embeddings, shape (dim,).
    lda
        Projection of shape (kept, dim).
    centre
        Mean of length-normalised class means, shape (kept,).
    transform
        A with A W Aᵀ = I and A B Aᵀ = diag(ψ), shape (kept, kept).
    psi
        Between-class variances ψ ≥ 0, descending, shape (kept,).
    """

    mean: np.ndarray
    lda: np.ndarray
    centre: np.ndarray
    transform: np.ndarray
    psi: np.ndarray

    def project(self, vectors: np.ndarray, counts: np.ndarray | int) -> np.ndarray:
        """Return raw embeddings of shape (N, dim) in the basis of ψ, with the length of `counts`.

        Parameters
        ----------
        vectors
            Raw embeddings, or means of several.
        counts
            How many utterances each of them is the mean of.
        """
        reduced = length_normalized(
            (np.asarray(vectors, dtype=np.float64) - self.mean) @ self.lda.T
        )
        return expected_length((reduced - self.centre) @ self.transform.T, self.psi, counts)

    def save(self, path: str | Path) -> None:
        """Write all parameters into one archive."""
        with atomic_path(path) as temporary, temporary.open("wb") as stream:
            np.savez(stream, **self._asdict())

    @classmethod
    def load(cls, path: str | Path) -> "Plda":
        """Read parameters written by `save`."""
        with np.load(path) as archive:
            return cls(**{name: archive[name] for name in cls._fields})


def fit_plda(
    vectors: np.ndarray, speakers: Sequence[str], *, lda: int, iterations: int, min_utterances: int
) -> Plda:
    """Estimate the whole chain: mean, LDA, length normalisation, PLDA.

    Parameters
    ----------
    vectors
        Raw embeddings of shape (N, dim).
    speakers
        Whose each of them is.
    lda
        Dimensions to keep; fewer are kept if the speakers do not span as many.
    iterations
        Steps of EM.
    min_utterances
        Speakers with fewer utterances are left out. EM learns B + W from a single utterance, but
        a corpus of such speakers also mixes its channel into B.
    """
    names, labels, counts = np.unique(speakers, return_inverse=True, return_counts=True)
    enough = counts >= min_utterances
    chosen = enough[labels]
    logger.info(
        "%d embeddings of %d speakers; left out: %d speakers with fewer than %d utterances",
        chosen.sum(),
        enough.sum(),
        (~enough).sum(),
        min_utterances,
    )
    if enough.sum() < 3 or counts[enough].max(initial=0) < 2:
        raise ValueError(
            f"PLDA needs three or more speakers, and one with two or more utterances; {len(names)} "
            f"speakers have {counts.max()} at most, and min_utterances is {min_utterances}"
        )
    data = np.asarray(vectors, dtype=np.float64)[chosen]
    labels = np.unique(labels[chosen], return_inverse=True)[1]
    mean = data.mean(axis=0)
    projection = fit_lda(data - mean, labels, lda)
    reduced = length_normalized((data - mean) @ projection.T)
    found = fit_covariances(reduced, labels, iterations)
    transform, psi = diagonalize(found.between, found.within)
    return Plda(mean, projection, found.mean, transform, psi)


def fit_lda(vectors: np.ndarray, labels: np.ndarray, dimensions: int) -> np.ndarray:
    """Return the projection onto the directions that best separate classes, shape (kept, dim).

    The within-class covariance is whitened, its eigenvalues floored, and the leading directions of
    the between-class covariance kept.

    Parameters
    ----------
    vectors
        Shape (N, dim), zero on average.
    labels
        Class numbers 0, 1, … of the vectors.
    dimensions
        Dimensions to keep. K classes span K - 1, so that no more are kept.
    """
    kept = min(dimensions, int(labels.max()), vectors.shape[1])
    if kept < dimensions:
        logger.warning(
            "LDA keeps %d instead of %d dimensions: there are %d speakers, and embeddings have %d",
            kept,
            dimensions,
            labels.max() + 1,
            vectors.shape[1],
        )
    counts, means, scatter = _statistics(vectors, labels)
    values, basis = eigh(scatter / len(vectors))
    floor = EIGENVALUE_FLOOR * values[-1]
    whitening = (basis / np.sqrt(np.maximum(values, floor))).T
    spread = (means * np.sqrt(counts)[:, None]) @ whitening.T
    _, directions = eigh(spread.T @ spread / len(vectors))
    return directions[:, ::-1][:, :kept].T @ whitening


def fit_covariances(vectors: np.ndarray, labels: np.ndarray, iterations: int) -> Covariances:
    """Estimate B and W by EM from B = W = I (section 5.3).

    Parameters
    ----------
    vectors
        Shape (N, dim).
    labels
        Class numbers 0, 1, … of the vectors.
    iterations
        Steps of EM. The likelihood never falls.
    """
    counts, means, scatter = _statistics(vectors, labels)
    centre = means.mean(axis=0)
    means = means - centre
    between = within = np.eye(vectors.shape[1])
    likelihoods = [_log_likelihood(counts, means, scatter, between, within)]
    for _ in range(iterations):
        precision_between, precision_within = _inverse(between), _inverse(within)
        new_between, new_within = np.zeros_like(between), scatter.copy()
        for count in np.unique(counts):
            own = means[counts == count]
            # Of all classes of this size: covariance and means of what their speakers may be.
            posterior = _inverse(precision_between + count * precision_within)
            guesses = own @ (count * precision_within @ posterior)
            rest = own - guesses
            new_between += len(own) * posterior + guesses.T @ guesses
            new_within += count * (len(own) * posterior + rest.T @ rest)
        between, within = new_between / len(counts), new_within / counts.sum()
        likelihoods.append(_log_likelihood(counts, means, scatter, between, within))
    return Covariances(centre, between, within, tuple(likelihoods))


def diagonalize(between: np.ndarray, within: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return A and ψ with A W Aᵀ = I and A B Aᵀ = diag(ψ), ψ ≥ 0 descending.

    Examples
    --------
    >>> transform, psi = diagonalize(np.diag([8.0, 1.0]), np.diag([2.0, 1.0]))
    >>> psi.round(12).tolist(), np.abs(transform).round(6).tolist()
    ([4.0, 1.0], [[0.707107, 0.0], [0.0, 1.0]])
    """
    whitening = solve_triangular(np.linalg.cholesky(within), np.eye(len(within)), lower=True)
    values, basis = eigh(whitening @ between @ whitening.T)
    return basis[:, ::-1].T @ whitening, np.maximum(values[::-1], 0.0)


def length_normalized(vectors: np.ndarray) -> np.ndarray:
    """Return vectors scaled to the length √dim.

    Examples
    --------
    >>> length_normalized(np.array([[3.0, 4.0]])).round(6).tolist()
    [[0.848528, 1.131371]]
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not lengths.all():
        raise ValueError("an embedding equals the mean of the training embeddings exactly")
    return vectors * (np.sqrt(vectors.shape[1]) / lengths)


def expected_length(vectors: np.ndarray, psi: np.ndarray, counts: np.ndarray | int) -> np.ndarray:
    """Return vectors u·√(D / Σ_d u_d² / (ψ_d + 1/n)), as long as means of n utterances should be.

    Parameters
    ----------
    vectors
        Shape (N, D), in the basis of ψ.
    psi
        Between-class variances, shape (D,).
    counts
        n of all vectors, or of each.
    """
    variances = psi + 1.0 / np.reshape(counts, (-1, 1))
    squares = np.sum(vectors**2 / variances, axis=1, keepdims=True)
    return vectors * np.sqrt(vectors.shape[1] / squares)


def enrolment_rows(vectors: np.ndarray, psi: np.ndarray, counts: np.ndarray | int) -> np.ndarray:
    """Return rows whose product with `probe_rows` is the log-likelihood ratio.

    LLR(u, n, v) = log N(v; nψ/(nψ+1)·u, 1 + ψ/(nψ+1)) - log N(v; 0, 1 + ψ) is a polynomial of v:
    the rows hold its coefficients of 1, v and v², shape (N, 1 + 2D).

    Parameters
    ----------
    vectors
        u of each speaker, shape (N, D).
    psi
        Between-class variances, shape (D,).
    counts
        n: utterances behind all u, or behind each.
    """
    n = np.reshape(counts, (-1, 1))
    expected = n * psi / (n * psi + 1.0) * vectors
    same = 1.0 + psi / (n * psi + 1.0)
    other = 1.0 + psi
    constant = -0.5 * np.sum(np.log(same / other) + expected**2 / same, axis=1, keepdims=True)
    square = np.broadcast_to(0.5 / other - 0.5 / same, vectors.shape)
    return np.hstack([constant, expected / same, square])


def probe_rows(vectors: np.ndarray) -> np.ndarray:
    """Return 1, v and v² of each utterance, shape (N, 1 + 2D)."""
    return np.hstack([np.ones((len(vectors), 1)), vectors, vectors**2])


def _statistics(vectors: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the sizes and means of the classes, and the scatter within them."""
    counts = np.bincount(labels)
    sums = np.zeros((len(counts), vectors.shape[1]))
    np.add.at(sums, labels, vectors)
    means = sums / counts[:, None]
    rest = vectors - means[labels]
    return counts, means, rest.T @ rest


def _log_likelihood(
    counts: np.ndarray,
    means: np.ndarray,
    scatter: np.ndarray,
    between: np.ndarray,
    within: np.ndarray,
) -> float:
    """Return log p of all vectors, up to a constant, given means relative to the centre."""
    factor = cho_factor(within)
    degrees = counts.sum() - len(counts)
    total = -0.5 * (degrees * _log_determinant(factor) + np.trace(cho_solve(factor, scatter)))
    for count in np.unique(counts):
        own = means[counts == count]
        factor = cho_factor(between + within / count)
        fit = np.sum(own.T * cho_solve(factor, own.T))
        total -= 0.5 * (len(own) * _log_determinant(factor) + fit)
    return float(total)


def _log_determinant(factor: tuple[np.ndarray, bool]) -> float:
    return 2.0 * float(np.log(np.diag(factor[0])).sum())


def _inverse(matrix: np.ndarray) -> np.ndarray:
    return cho_solve(cho_factor(matrix), np.eye(len(matrix)))
