"""A draw from a model of the pool's own distribution: the voices of O1 and O1c1 (systems.md 4.11).

For each gender a mixture of Gaussians with diagonal covariances among principal components.
"""

from collections.abc import Mapping

import numpy as np
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from scripts.lib.seeding import digest_of
from scripts.lib.voices.vectors import Pool, PseudoVector, Source, cosines

TOLERANCE = 1e-15
ITERATIONS = 1000
ATTEMPTS = 20
# What is drawn by a step's own fit has one seed everywhere.
SEED_BITS = 2**32


class Step:
    """Sample a vector; with `tau`, again until it is unlike the source.

    Parameters
    ----------
    settings
        `components` (a number, or the share of variance), `mixtures`, perhaps `tau` (a cosine, or
        `pool_median`) and the number of `tries`.
    """

    def __init__(self, settings: Mapping):
        self._settings = settings

    def fit(self, pool: Pool, earlier: object) -> None:
        """Estimate the distribution of each gender."""
        self._models = {
            gender: self._fit_gender(pool.vectors[pool.places(gender)], gender)
            for gender in sorted(set(pool.genders.tolist()))
        }

    def apply(self, source: Source, rng: np.random.Generator) -> PseudoVector:
        """Return a sample; the source decides its gender and, with `tau`, what is too alike."""
        projection, mixture, median = self._models[source.gender]
        limit = median if self._settings.get("tau") == "pool_median" else self._settings.get("tau")
        tries = 1 if limit is None else self._settings.get("tries", 1)
        best, least = None, np.inf
        for _ in range(tries):
            vector = _sample(projection, mixture, rng)
            alike = float(cosines(vector[None], source.vector[None])[0, 0])
            if alike < least:
                best, least = vector, alike
            if limit is None or alike < limit:
                break
        return PseudoVector(best, source.gender)

    def _fit_gender(self, vectors: np.ndarray, gender: str) -> tuple:
        components = self._settings["components"]
        if components >= 1:
            components = int(components)
        if components >= len(vectors):
            raise ValueError(
                f"voice step gmm_pca: {components} components of {len(vectors)} pool speakers of "
                f"gender {gender}; take fewer components or a larger pool"
            )
        projection = PCA(components, svd_solver="full").fit(vectors)
        mixture = _fit_mixture(projection.transform(vectors), self._settings["mixtures"])
        pairs = cosines(vectors, vectors)[np.triu_indices(len(vectors), 1)]
        return projection, mixture, float(np.median(pairs))


def _fit_mixture(points: np.ndarray, mixtures: int) -> GaussianMixture:
    """Fit, and relax the tolerance until it converges, as the published code does."""
    tolerance, iterations, start = TOLERANCE, ITERATIONS, "kmeans"
    for attempt in range(ATTEMPTS):
        mixture = GaussianMixture(
            mixtures,
            covariance_type="diag",
            tol=tolerance,
            max_iter=int(iterations),
            init_params=start,
            random_state=digest_of("gmm_pca", attempt) % SEED_BITS,
        ).fit(points)
        if mixture.converged_:
            return mixture
        tolerance, iterations, start = 2 * tolerance, 1.1 * iterations, "random"
    raise ValueError(f"voice step gmm_pca: no convergence in {ATTEMPTS} attempts")


def _sample(projection: PCA, mixture: GaussianMixture, rng: np.random.Generator) -> np.ndarray:
    """Return one draw of the given generator; the library's own would ignore it."""
    part = rng.choice(len(mixture.weights_), p=mixture.weights_)
    spread = np.sqrt(mixture.covariances_[part])
    return projection.inverse_transform(rng.normal(mixture.means_[part], spread)[None])[0]
