"""Speakers of a pool in groups: by k-means within a gender, or around exemplars."""

import numpy as np
from sklearn.cluster import AffinityPropagation, KMeans

from scripts.lib.seeding import digest_of
from scripts.lib.voices.vectors import VARIANTS, Pool

# The centre of fewer speakers would nearly be one of them.
LEAST_MEMBERS = 5
STARTS = 10
ITERATIONS = 1000
# The library's own, and stronger ones against oscillation.
DAMPINGS = (0.5, 0.7, 0.9)
SEED_BITS = 2**32


class Clusters:
    """The groups of a gender's speakers that are large enough to aim at.

    Parameters
    ----------
    pool, gender
        Whose vectors are grouped.
    count
        How many groups k-means makes; those of fewer than 5 speakers are left out.
    affinity
        How alike a vector and the centre of a group are.
    origin
        Whose setting the count is, for the message.
    """

    def __init__(self, pool: Pool, gender: str, count: int, affinity: str, origin: str):
        self._pool, self._affinity = pool, affinity
        places = pool.places(gender)
        self.members: list[np.ndarray] = []
        if count <= len(places):
            seed = digest_of("clusters", gender) % SEED_BITS
            vectors = pool.vectors[places].astype(np.float64)
            labels = KMeans(count, n_init=STARTS, random_state=seed).fit(vectors).labels_
            groups = [places[labels == label] for label in range(count)]
            self.members = [group for group in groups if len(group) >= LEAST_MEMBERS]
        if len(self.members) < VARIANTS:
            raise ValueError(
                f"voice step {origin}: of {count} clusters of {len(places)} pool speakers of "
                f"gender {gender}, {len(self.members)} have {LEAST_MEMBERS} speakers, but "
                f"{VARIANTS} are needed; set `clusters` lower or take a larger pool"
            )
        self.centres = np.stack([pool.vectors[group].mean(axis=0) for group in self.members])

    def farthest(self, vectors: np.ndarray, variant: int) -> np.ndarray:
        """Return for each row the group that is least alike, or with a variant the next ones."""
        alike = self._pool.alike(vectors, self.centres, self._affinity)
        return np.argsort(alike, axis=1, kind="stable")[:, variant]


def around_exemplars(alike: np.ndarray) -> dict[int, np.ndarray]:
    """Return the members of each cluster of affinity propagation, by the place of its exemplar.

    Parameters
    ----------
    alike
        Affinity of every pair, shape (speakers, speakers).
    """
    for damping in DAMPINGS:
        found = AffinityPropagation(
            affinity="precomputed",
            damping=damping,
            max_iter=ITERATIONS,
            random_state=digest_of("exemplars") % SEED_BITS,
        ).fit(alike)
        if found.n_iter_ < ITERATIONS:
            return {
                int(place): np.flatnonzero(found.labels_ == label)
                for label, place in enumerate(found.cluster_centers_indices_)
            }
    raise ValueError("affinity propagation does not converge on the pool; take far or near")
