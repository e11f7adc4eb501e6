"""The mean of speakers of a pool: the voice of B1 (systems.md 2.5)."""

from collections.abc import Mapping

import numpy as np

from scripts.lib.voices.vectors import Pool, PseudoVector, Source

OTHER = {"f": "m", "m": "f"}


class Step:
    """Average speakers drawn among those least or most like the source, or among all.

    Parameters
    ----------
    settings
        `affinity`, `proximity` (far, near or random), `n` candidates, `n_star` averaged, both a
        number or a share of the pool's speakers of the gender, and `gender`.
    """

    def __init__(self, settings: Mapping):
        self._settings = settings
        if settings["proximity"] not in ("far", "near", "random"):
            raise ValueError(f"voice step pool: no proximity {settings['proximity']!r} yet")

    def fit(self, pool: Pool) -> None:
        """Keep the pool."""
        self._pool = pool

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return the plain mean of the drawn vectors: it is shorter than they are, as in 2020."""
        gender = self._gender(source, rng)
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
        chosen = np.sort(rng.choice(places, drawn, replace=False))
        donors = tuple(self._pool.speakers[place] for place in chosen)
        return PseudoVector(self._pool.vectors[chosen].mean(axis=0), gender, donors)

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
