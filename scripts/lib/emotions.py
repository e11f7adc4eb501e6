"""Emotion data in folds, and the unweighted average recall over them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from scripts.lib.manifest import EMOTIONS, named, read_manifests
from scripts.lib.seeding import rng_for


def read_emotional(manifests: Sequence[str], folds: int) -> pd.DataFrame:
    """Return the utterances of an emotion dataset, every one with a class and a fold.

    Parameters
    ----------
    manifests
        Audio manifests of all shards.
    folds
        Number of folds that the dataset's entry promises.
    """
    utterances = read_manifests(manifests)
    for column, file in (("emotion", "utt2emo"), ("fold", "spk2fold")):
        absent = utterances["utterance"][utterances[column] == ""]
        if len(absent):
            raise ValueError(f"{named(absent)} without {column}; add a line to {file}")
    found = set(utterances["fold"])
    expected = {str(fold) for fold in range(1, folds + 1)}
    if found != expected:
        raise ValueError(
            f"the lists hold the folds {', '.join(sorted(found))}, the dataset's entry says "
            f"`folds: {folds}`; make them agree"
        )
    mixed = utterances.groupby("speaker")["fold"].nunique()
    if (mixed > 1).any():
        raise ValueError(f"speaker {mixed.idxmax()} is in two folds; folds must not share speakers")
    return utterances


def utterances_inside(utterances: pd.DataFrame, fold: int) -> list[int]:
    """Return the numbers of the utterances of a fold, which its model must not hear."""
    return np.flatnonzero(utterances["fold"] == str(fold)).tolist()


def utterances_outside(utterances: pd.DataFrame, fold: int) -> list[int]:
    """Return the numbers of the utterances that the model of a fold is trained on."""
    return np.flatnonzero(utterances["fold"] != str(fold)).tolist()


def fold_recalls(predictions: pd.DataFrame) -> pd.DataFrame:
    """Return the recall of each class in each fold, one row per fold.

    Parameters
    ----------
    predictions
        Columns `fold`, `emotion` (the truth) and `predicted`.

    Examples
    --------
    >>> rows = [("1", "neu", "neu"), ("1", "neu", "sad"), ("1", "sad", "sad")]
    >>> table = pd.DataFrame(rows, columns=["fold", "emotion", "predicted"])
    >>> fold_recalls(table).loc["1"].to_dict()
    {'neu': 0.5, 'sad': 1.0}
    """
    hits = predictions.assign(hit=predictions["emotion"] == predictions["predicted"])
    recalls = hits.groupby(["fold", "emotion"])["hit"].mean().unstack()
    if recalls.isna().any(axis=None):
        fold, emotion = recalls.stack(future_stack=True).isna().idxmax()
        raise ValueError(
            f"fold {fold} has no utterance of class {emotion}: its recall is undefined"
        )
    return recalls[[emotion for emotion in EMOTIONS if emotion in recalls]]


def uar(predictions: pd.DataFrame) -> float:
    """Return the unweighted average recall: mean over classes in a fold, then over folds."""
    return float(fold_recalls(predictions).mean(axis=1).mean())


def uar_interval(predictions: pd.DataFrame, *, replicates: int, seed: int) -> tuple[float, float]:
    """Return a 95 % bootstrap interval: utterances drawn anew within each fold and class.

    Speakers are not resampled: a fold has one or two of them.
    """
    groups = predictions.groupby(["fold", "emotion"])
    hits = (predictions["emotion"] == predictions["predicted"]).to_numpy()
    rng = rng_for(seed, "uar")
    # A resampled recall is a binomial share of the class's utterances.
    draws = [
        rng.binomial(len(rows), hits[rows].mean(), replicates) / len(rows)
        for rows in groups.indices.values()
    ]
    low, high = np.quantile(np.mean(draws, axis=0), [0.025, 0.975])
    return float(low), float(high)
