"""The mean of speakers of a pool: the voice of B1 (systems.md 2.5)."""

from collections.abc import Mapping

import numpy as np

from scripts.lib.voices.clusters import around_exemplars
from scripts.lib.voices.vectors import Pool, PseudoVector, Source

OTHER = {"f": "m", "m": "f"}
# Largest or smallest clusters among which one is drawn.
DRAWN_AMONG = 10


class Step:
    """Average speakers drawn among those least or most like the source, or among all.

    Parameters
    ----------
    settings
        `affinity`, `proximity`, `gender`, and of far, near and random `n` candidates, `n_star`
        averaged: both a number or a share of the pool's speakers of the gender. Of dense and
        sparse, half of the speakers of a drawn cluster are averaged.
    """

    def __init__(self, settings: Mapping):
        self._settings = settings

    def fit(self, pool: Pool, earlier: object) -> None:
        """Keep the pool, and find its clusters where one of them is drawn."""
        self._pool = pool
        if self._settings["proximity"] in ("dense", "sparse"):
            affinity = self._settings["affinity"]
            self._clusters = around_exemplars(pool.alike(pool.vectors, pool.vectors, affinity))

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return the plain mean of the drawn vectors: it is shorter than they are, as in 2020."""
        gender = self._gender(source, rng)
        if self._settings["proximity"] in ("dense", "sparse"):
            chosen = self._of_cluster(source, gender, rng)
        else:
            chosen = self._of_candidates(source, gender, rng)
        donors = tuple(self._pool.speakers[place] for place in chosen)
        return PseudoVector(self._pool.vectors[chosen].mean(axis=0), gender, donors)

    def _of_candidates(self, source: Source, gender: str, rng: np.random.Generator) -> np.ndarray:
        places = self._pool.places(gender)
        n, drawn = (_count(self._settings[key], len(places)) for key in ("n", "n_star"))
        if not drawn <= n <= len(places):
            raise ValueError(
                f"voice step pool: {drawn} of {n} candidates are wanted, but the pool has "
                f"{len(places)} speakers of gender {gender}"
            )
        if self._settings["proximity"] != "random":
            # Equally alike speakers stay in the pool's order.
            alike = self._pool.affinities(source.vector, self._settings["affinity"])[places]
            order = alike if self._settings["proximity"] == "far" else -alike
            places = places[np.argsort(order, kind="stable")[:n]]
        return np.sort(rng.choice(places, drawn, replace=False))

    def _of_cluster(self, source: Source, gender: str, rng: np.random.Generator) -> np.ndarray:
        alike = self._pool.affinities(source.vector, self._settings["affinity"])
        own = max(self._clusters, key=lambda exemplar: alike[exemplar])
        # The exemplar speaks for its cluster, whose members may be of both genders.
        others = [
            members
            for exemplar, members in self._clusters.items()
            if exemplar != own and self._pool.genders[exemplar] == gender
        ]
        if not others:
            raise ValueError(
                f"voice step pool: the only cluster of gender {gender} is that of the speaker; "
                "take another `proximity` or a larger pool"
            )
        sign = -1 if self._settings["proximity"] == "dense" else 1
        ranked = sorted(others, key=lambda members: sign * len(members))[:DRAWN_AMONG]
        members = ranked[int(rng.integers(len(ranked)))]
        return np.sort(rng.choice(members, max(1, len(members) // 2), replace=False))

    def _gender(self, source: Source, rng: np.random.Generator) -> str:
        if self._settings["gender"] == "random":
            return "fm"[int(rng.integers(2))]
        return source.gender if self._settings["gender"] == "same" else OTHER[source.gender]


def _count(wanted: float, speakers: int) -> int:
    """Return a number of speakers, given as such or as a share.

    Examples
    --------
    >>> _count(200, 580), _count(0.333, 60)
    (200, 20)
    """
    return round(wanted * speakers) if wanted < 1 else int(wanted)
