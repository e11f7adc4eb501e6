"""Scores and trial lists that others computed: read, check against each other, join."""

from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path

import pandas as pd

PAIR = ["enrol", "test"]
EXAMPLES = 3


def read_score_list(path: str | Path) -> pd.DataFrame:
    """Return a list of scores with columns `enrol`, `test` and `score`.

    Parameters
    ----------
    path
        Kaldi's form, `speaker utterance score` per line, or tab-separated values whose first line
        names at least the columns enrol, test and score.
    """
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    if not any(line.strip() for line in lines):
        raise ValueError(f"{path}: holds no scores")
    head = lines[0].split("\t")
    named = {*PAIR, "score"} <= set(head)
    places = [head.index(name) for name in (*PAIR, "score")] if named else [0, 1, 2]
    rows, broken, unusable = [], [], []
    for number, line in enumerate(lines[1:] if named else lines, 2 if named else 1):
        fields = line.split("\t") if named else line.split()
        if not fields:
            continue
        if len(fields) != (len(head) if named else 3):
            broken.append(f"line {number} {line.strip()!r}")
            continue
        enrol, test, score = (fields[place] for place in places)
        value = _number(score)
        if value is None:
            unusable.append(f"line {number} {enrol} {test} {score!r}")
        rows.append((enrol, test, value))
    form = "as many fields as the first line" if named else "`speaker utterance score`"
    _refuse(path, [(broken, f"lines are not {form}"), (unusable, "scores are not finite numbers")])
    return pd.DataFrame(rows, columns=[*PAIR, "score"])


def join_scores(trials: pd.DataFrame, scores: pd.DataFrame, origin: str | Path) -> pd.DataFrame:
    """Return the trials with a column `score`, or say which pairs do not fit.

    Parameters
    ----------
    trials
        Columns `enrol`, `test` and `target`, each pair once.
    scores
        Columns `enrol`, `test` and `score`.
    origin
        Where the scores come from, for the message.

    Examples
    --------
    >>> trials = pd.DataFrame({"enrol": ["a", "b"], "test": ["u", "u"], "target": [1, 0]})
    >>> join_scores(trials, trials[["enrol", "test"]].assign(score=1.5)[:1], "s.txt")
    Traceback (most recent call last):
    ValueError: s.txt: 1 of the 2 trials have no score (b u)
    """
    wanted, given = (pd.MultiIndex.from_frame(table[PAIR]) for table in (trials, scores))
    missing, extra = wanted[~wanted.isin(given)], given[~given.isin(wanted)]
    _refuse(
        origin,
        [
            (_pairs(given[given.duplicated()]), "pairs are scored more than once"),
            (_pairs(missing), f"of the {len(wanted)} trials have no score"),
            (_pairs(extra.unique()), f"of the {len(given)} scored pairs are no trials"),
        ],
    )
    return trials.merge(scores[[*PAIR, "score"]], on=PAIR, how="left", validate="one_to_one")


def name_speakers(
    trials: pd.DataFrame, speaker_of: Mapping[str, str], origin: str | Path
) -> pd.DataFrame:
    """Return a trial list with a column `speaker`: who speaks in the trial utterance.

    The bootstrap draws speakers, so it must know whose utterances belong together. Without an entry
    in `speaker_of`, a target trial tells; an utterance without either stands for itself, which
    leaves its speaker's other utterances out of account.

    Parameters
    ----------
    trials
        Columns `enrol`, `test` and `target`.
    speaker_of
        Speakers of utterances as far as they are known.
    origin
        Where the trials come from, for the message.
    """
    if trials.empty:
        raise ValueError(f"{origin}: holds no trials")
    index = pd.MultiIndex.from_frame(trials[PAIR])
    targets = trials[trials["target"] == 1]
    speakers = targets.groupby("test")["enrol"].nunique()
    told = {**dict(zip(targets["test"], targets["enrol"], strict=True)), **speaker_of}
    named = trials.assign(speaker=[told.get(test, test) for test in trials["test"]])
    wrong = (named["enrol"] == named["speaker"]) != (named["target"] == 1)
    _refuse(
        origin,
        [
            (_pairs(index[index.duplicated()]), "trials are listed more than once"),
            (list(speakers[speakers > 1].index), "utterances are target of two speakers"),
            (_pairs(index[wrong]), "labels contradict the speaker of the utterance"),
        ],
    )
    counts = trials["target"].value_counts()
    if len(counts) < 2:
        raise ValueError(
            f"{origin}: needs both target and nontarget trials, found "
            f"{counts.get(1, 0)} target and {counts.get(0, 0)} nontarget"
        )
    return named


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _pairs(index: Iterable[tuple[str, str]]) -> list[str]:
    return [" ".join(pair) for pair in index]


def _refuse(origin: str | Path, problems: Iterable[tuple[list[str], str]]) -> None:
    """Raise one error for all kinds of problems: how many, and the first of each."""
    found = [
        f"{len(items)} {what} ({', '.join(items[:EXAMPLES])}{', …' * (len(items) > EXAMPLES)})"
        for items, what in problems
        if items
    ]
    if found:
        raise ValueError(f"{origin}: {'; '.join(found)}")
