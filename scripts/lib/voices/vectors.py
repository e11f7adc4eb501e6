"""Speakers as vectors: the pool that lends voices, a source, and a pseudo-voice."""

from dataclasses import dataclass

import numpy as np

from scripts.lib.plda import Plda, enrolment_rows, probe_rows

VARIANTS = 2


@dataclass(frozen=True)
class Pool:
    """Speakers who lend their voices.

    Parameters
    ----------
    speakers, genders
        Name, and `f` or `m`, of each.
    vectors
        Mean of the raw embeddings of each, shape (speakers, dim).
    plda
        How alike vectors are; none if no step asks for it.
    utterances, owners
        Their raw embeddings, shape (utterances, dim), and for each the place of who speaks. Left
        out, nobody says more than one utterance.
    """

    speakers: tuple[str, ...]
    genders: np.ndarray
    vectors: np.ndarray
    plda: Plda | None = None
    utterances: np.ndarray | None = None
    owners: np.ndarray | None = None

    def places(self, gender: str) -> np.ndarray:
        """Return where the speakers of a gender stand among all."""
        return np.flatnonzero(self.genders == gender)

    def spoken(self, gender: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the embeddings of what a gender says, and the place of each one's speaker."""
        if self.utterances is None or self.owners is None:
            return self.vectors[self.places(gender)], self.places(gender)
        rows = self.genders[self.owners] == gender
        return self.utterances[rows], self.owners[rows]

    def affinities(self, vector: np.ndarray, kind: str) -> np.ndarray:
        """Return how alike a vector of shape (dim,) is to each speaker, shape (speakers,)."""
        return self.alike(self.vectors, vector[None], kind)[:, 0]

    def alike(self, one: np.ndarray, other: np.ndarray, kind: str) -> np.ndarray:
        """Return how alike every pair of rows is; larger is more alike.

        Parameters
        ----------
        one, other
            Vectors, shapes (rows, dim) and (columns, dim).
        kind
            `cosine`: the cosine minus one; `plda`: the log-likelihood ratio of single vectors.
        """
        if kind == "cosine":
            return cosines(one, other) - 1.0
        if self.plda is None:
            raise ValueError("the affinity plda needs the PLDA of the vectors' model")
        probes = probe_rows(self.plda.project(one, 1))
        return probes @ enrolment_rows(self.plda.project(other, 1), self.plda.psi, 1).T


@dataclass(frozen=True)
class Source:
    """Whose voice is replaced.

    Parameters
    ----------
    vector
        Mean of the raw embeddings of what shares the pseudo-voice, or what an earlier step gave.
    gender
        `f` or `m`.
    utterances
        The raw embeddings behind the mean, shape (utterances, dim).
    variant
        Which of the speaker's pseudo-voices is asked for, below `VARIANTS`: a step that draws
        nothing would give but one.
    """

    vector: np.ndarray
    gender: str
    utterances: np.ndarray
    variant: int = 0


@dataclass(frozen=True)
class PseudoVector:
    """The vector of a pseudo-voice, its gender, and the speakers of the pool behind it."""

    vector: np.ndarray
    gender: str
    donors: tuple[str, ...] = ()


def cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the cosine of every pair of rows.

    Examples
    --------
    >>> cosines(np.array([[2.0, 0.0]]), np.array([[0.0, 1.0], [3.0, 0.0]])).tolist()
    [[0.0, 1.0]]
    """
    one, other = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (one, other))
    return np.clip(one @ other.T, -1.0, 1.0)
