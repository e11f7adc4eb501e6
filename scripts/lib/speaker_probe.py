"""How well a fresh linear probe names speakers from features: what these tell about identity.

The probe is trained for the question and thrown away. It sees an utterance as mean and standard
deviation over time, learns from half of each speaker's utterances, and names the rest.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scripts.lib.seeding import rng_for

SEED = 0
STEPS = 2000


def summarize(features: np.ndarray) -> np.ndarray:
    """Return the mean of each dimension over time, then their standard deviations.

    Examples
    --------
    >>> summarize(np.array([[1.0, 5.0], [3.0, 5.0]])).tolist()
    [2.0, 5.0, 1.0, 0.0]
    """
    return np.concatenate([features.mean(axis=0), features.std(axis=0)])


def summarize_pitch(contour: np.ndarray) -> np.ndarray:
    """Return mean and standard deviation of the logarithm of F0 where there is voice.

    Examples
    --------
    >>> summarize_pitch(np.array([0.0, 100.0, 100.0])).round(3).tolist()
    [4.605, 0.0]
    """
    voiced = contour[contour > 0]
    # Nothing but a whisper: as far from every voice as from any other.
    return summarize(np.log(voiced)[:, None]) if len(voiced) else np.zeros(2)


def training_half(utterances: pd.DataFrame, seed: int = SEED) -> np.ndarray:
    """Return which utterances the probe learns from: half of each speaker's, drawn by the seed.

    Parameters
    ----------
    utterances
        Columns `utterance` and `speaker`.
    seed
        Seed of the draw.
    """
    chosen = set()
    for speaker, names in utterances.groupby("speaker")["utterance"]:
        if len(names) < 2:
            raise ValueError(
                f"speaker {speaker} has one utterance; a probe needs one to learn from and one to "
                "name, so probe another dataset"
            )
        order = rng_for(seed, "probe", str(speaker)).permutation(sorted(names))
        chosen |= set(order[: len(order) // 2].tolist())
    return utterances["utterance"].isin(chosen).to_numpy()


def probe_speakers(vectors: Mapping[str, np.ndarray], utterances: pd.DataFrame) -> dict:
    """Return how often the probe names the right speaker, with its 95 % interval and chance.

    Parameters
    ----------
    vectors
        One vector per utterance.
    utterances
        Columns `utterance` and `speaker`.

    Returns
    -------
    dict
        `speakers`, `n` (utterances to name), `accuracy`, `low`, `high` (Clopper-Pearson, as if
        utterances of a speaker were independent) and `chance`, which is 1 / speakers.
    """
    learned = training_half(utterances)
    points = np.stack([vectors[name] for name in utterances["utterance"]])
    speakers = utterances["speaker"].to_numpy()
    count = len(set(speakers))
    if count < 2:
        raise ValueError(f"speaker {speakers[0]} is the only one; a probe tells two or more apart")
    probe = make_pipeline(StandardScaler(), LogisticRegression(max_iter=STEPS))
    probe.fit(points[learned], speakers[learned])
    right = probe.predict(points[~learned]) == speakers[~learned]
    hits = binomtest(int(right.sum()), len(right))
    low, high = hits.proportion_ci()
    return {
        "speakers": count,
        "n": len(right),
        "accuracy": float(hits.statistic),
        "low": float(low),
        "high": float(high),
        "chance": 1 / count,
    }
