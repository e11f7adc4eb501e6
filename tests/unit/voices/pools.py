"""Made-up pools like those of systems.md 8.5: 600 speakers a gender or all, 512 dimensions."""

import numpy as np

from scripts.lib.voices.vectors import Pool, Source

# Variances fall so that 20 principal components hold 71 % of them, as among real x-vectors.
DECAY = 16.0
# Sets the mean cosine of two speakers of a gender to 0.64.
COMMON = 1.333


class Voices:
    """Speakers of two genders around a mean voice each, and what they say.

    Parameters
    ----------
    dim
        Dimensions.
    decay
        How many leading directions matter: variances fall as exp(-i / decay).
    within
        Spread of a speaker's utterances relative to that of speakers.
    common
        Length of a gender's mean voice relative to the spread of speakers.
    """

    def __init__(self, dim=512, decay=DECAY, within=0.4, common=COMMON, seed=0):
        rng = np.random.default_rng(seed)
        scale = np.exp(-np.arange(dim) / (2 * decay))
        scale /= np.linalg.norm(scale)
        self._turn, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
        self._scale, self._within, self._dim = scale, within, dim
        # Utterances differ most in directions of their own.
        self._other, _ = np.linalg.qr(rng.normal(size=(dim, dim)))
        shared = rng.normal(size=dim)
        means = {gender: shared + 0.5 * rng.normal(size=dim) for gender in "fm"}
        self.means = {g: common * mean / np.linalg.norm(mean) for g, mean in means.items()}

    def speakers(self, genders, seed=1):
        """Return a vector for each of the genders."""
        rng = np.random.default_rng(seed)
        drawn = rng.normal(size=(len(genders), self._dim)) * self._scale @ self._turn
        return drawn + np.stack([self.means[gender] for gender in genders])

    def utterances(self, speakers, count, seed=2):
        """Return what each speaker says, shape (speakers, count, dim)."""
        rng = np.random.default_rng(seed)
        noise = rng.normal(size=(len(speakers), count, self._dim)) * self._scale
        return speakers[:, None] + self._within * noise @ self._other

    def pool(self, per_gender=300, count=4, seed=1):
        """Return a pool with utterances, whose speakers are the means of what they say."""
        genders = np.array(["f", "m"] * per_gender)
        said = self.utterances(self.speakers(genders, seed), count, seed + 1)
        return Pool(
            tuple(f"p{n:03d}" for n in range(2 * per_gender)),
            genders,
            said.mean(axis=1),
            None,
            said.reshape(-1, self._dim),
            np.repeat(np.arange(2 * per_gender), count),
        )

    def sources(self, per_gender=10, count=10, seed=7, variant=0):
        """Return speakers that no pool has."""
        genders = ["f", "m"] * per_gender
        said = self.utterances(self.speakers(genders, seed), count, seed + 1)
        return [
            Source(own.mean(axis=0), gender, own, variant)
            for gender, own in zip(genders, said, strict=True)
        ]
