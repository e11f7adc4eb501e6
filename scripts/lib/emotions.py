"""Emotion data in folds, and the unweighted average recall over them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from scripts.lib.manifest import EMOTIONS, named, read_manifests
from scripts.lib.seeding import rng_for


class Fold(NamedTuple):
    """Numbers of the utterances that one model is trained on, developed on and tested on."""

    train: list[int]
    dev: list[int]
    test: list[int]


def read_emotional(manifests: Sequence[str], folds: int, *, whole: bool = True) -> pd.DataFrame:
    """Return the utterances of an emotion dataset, every one with a class and a fold.

    Parameters
    ----------
    manifests
        Audio manifests.
    folds
        Number of folds that the dataset's entry promises.
    whole
        Whether every fold must be there, or these are the manifests of one part.
    """
    utterances = read_manifests(manifests)
    if "dev_fold" not in utterances:
        utterances["dev_fold"] = ""
    for column, file in (("emotion", "utt2emo"), ("fold", "spk2fold or utt2fold")):
        absent = utterances["utterance"][utterances[column] == ""]
        if len(absent):
            raise ValueError(f"{named(absent)} without {column}; add a line to {file}")
    expected = {str(fold) for fold in range(1, folds + 1)}
    found = set(utterances["fold"])
    if found - expected or (whole and expected - found):
        raise ValueError(
            f"the lists hold the folds {', '.join(sorted(found))}, the dataset's entry says "
            f"`folds: {folds}`; make them agree"
        )
    for column in ("fold", "dev_fold"):
        mixed = utterances.groupby("speaker")[column].nunique()
        if (mixed > 1).any():
            raise ValueError(
                f"speaker {mixed.idxmax()} is in two folds; folds must not share speakers"
            )
    return utterances


def fold_of(utterances: pd.DataFrame, number: int) -> Fold:
    """Return the roles of the utterances in one fold.

    A fold leaves out the utterances whose `fold` it is: those of a subset `dev` are development
    material, the others are tested. Where lists name the development material of each fold, it
    is what has this `dev_fold`. All else is for training.

    Examples
    --------
    >>> rows = [("dev", "1", ""), ("test", "1", ""), ("dev", "2", ""), ("test", "2", "")]
    >>> fold_of(pd.DataFrame(rows, columns=["subset", "fold", "dev_fold"]), 1)
    Fold(train=[2, 3], dev=[0], test=[1])
    >>> rows = [("test", "1", "3"), ("test", "2", "1"), ("test", "3", "2")]
    >>> fold_of(pd.DataFrame(rows, columns=["subset", "fold", "dev_fold"]), 1)
    Fold(train=[2], dev=[1], test=[0])
    """
    left_out = utterances["fold"] == str(number)
    is_dev = utterances["subset"] == "dev"
    dev = (left_out & is_dev) | (utterances["dev_fold"] == str(number))
    test = left_out & ~is_dev
    parts = (~left_out & ~dev, dev, test)
    return Fold(*(np.flatnonzero(part).tolist() for part in parts))


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
