"""A learned map to the centre of a distant cluster of the pool: the voice of A1 (systems.md 4.3).

Dimensions that vary much and those that vary little have an ensemble of regressions each, learned
from utterances of the pool. Nothing is drawn: a speaker has as many voices as there are variants,
the first aims at the farthest cluster, the second at the next one.
"""

from collections.abc import Mapping

import numpy as np
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scripts.lib.seeding import digest_of
from scripts.lib.voices.clusters import Clusters
from scripts.lib.voices.vectors import VARIANTS, Pool, PseudoVector, Source

LEAST_LEAF = 5
# Share of the dimensions that a tree looks at for each cut.
SEEN_BY_CUT = 1 / 3
PENALTIES = np.logspace(-1, 5, 13)
SEED_BITS = 2**32


class Step:
    """Map a vector by regressions.

    Parameters
    ----------
    settings
        `affinity`, `clusters` of each gender, `trees` of a forest, and at most how many principal
        `components` are boosted.
    """

    def __init__(self, settings: Mapping):
        self._settings = settings

    def fit(self, pool: Pool, earlier: object) -> None:
        """Learn the map of each gender and variant."""
        self._maps = {}
        for gender in sorted(set(pool.genders.tolist())):
            vectors, owners = pool.spoken(gender)
            clusters = Clusters(
                pool, gender, self._settings["clusters"], self._settings["affinity"], "regress"
            )
            spread = pool.vectors[pool.places(gender)].var(axis=0)
            much = spread > np.median(spread)
            for variant in range(VARIANTS):
                # What a speaker says shares one target, that of the mean.
                chosen = clusters.farthest(pool.vectors, variant)[owners]
                self._maps[gender, variant] = [
                    (part, _Ensemble(vectors[:, part], clusters.centres[:, part], chosen, self))
                    for part in (np.flatnonzero(much), np.flatnonzero(~much))
                ]

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return what the regressions make of the vector."""
        vector = np.empty(len(source.vector))
        for part, ensemble in self._maps[source.gender, source.variant]:
            vector[part] = ensemble.predict(source.vector[part])
        return PseudoVector(vector, source.gender)

    def regressions(self, rows: int, dimensions: int) -> list:
        """Return the untrained regressions of an ensemble."""
        components = min(self._settings["components"], rows, dimensions)
        seed = digest_of("regress") % SEED_BITS
        forest = RandomForestRegressor(
            self._settings["trees"],
            min_samples_leaf=LEAST_LEAF,
            max_features=SEEN_BY_CUT,
            random_state=seed,
        )
        boosting = HistGradientBoostingRegressor(
            min_samples_leaf=LEAST_LEAF, early_stopping=False, random_state=seed
        )
        return [
            make_pipeline(StandardScaler(), RidgeCV(PENALTIES)),
            forest,
            make_pipeline(PCA(components, svd_solver="full"), MultiOutputRegressor(boosting)),
        ]


class _Ensemble:
    """The average of three regressions from vectors to the centres of their chosen clusters.

    They predict coordinates in the span of the centres. For squared errors that is the same map as
    one of all dimensions, at a fraction of the time.
    """

    def __init__(self, vectors: np.ndarray, centres: np.ndarray, chosen: np.ndarray, step: Step):
        self._mean = centres.mean(axis=0)
        _, _, self._basis = np.linalg.svd(centres - self._mean, full_matrices=False)
        targets = ((centres - self._mean) @ self._basis.T)[chosen]
        self._regressions = step.regressions(*vectors.shape)
        for regression in self._regressions:
            regression.fit(vectors, targets)

    def predict(self, vector: np.ndarray) -> np.ndarray:
        """Return the average of what the regressions say, shape (dim,)."""
        found = [regression.predict(vector[None])[0] for regression in self._regressions]
        return self._mean + np.mean(found, axis=0) @ self._basis
