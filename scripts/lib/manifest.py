"""Tables of utterances and of trials: read, write, check."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from scripts.lib.files import atomic_path

COLUMNS = ("utterance", "speaker", "gender", "subset", "path", "duration_s", "text")
OPTIONAL_COLUMNS = ("emotion", "fold", "dev_fold", "sha256")
TRIAL_COLUMNS = ("enrol", "test", "target")
EMOTIONS = ("neu", "sad", "ang", "hap")
ENROLMENT = "enrol"
TRIALS_OF = {"f": "trials_f", "m": "trials_m"}
_TYPES = {"duration_s": float, "target": int, "score": float}


def write_manifest(path: str | Path, utterances: pd.DataFrame) -> None:
    """Check a table of utterances and write it, sorted by utterance."""
    check_manifest(utterances, origin=path)
    columns = [c for c in (*COLUMNS, *OPTIONAL_COLUMNS) if c in utterances]
    write_table(path, utterances[columns].sort_values("utterance"))


def read_manifests(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Return the utterances of all parts of a dataset, sorted by utterance.

    Absent text, emotion and fold are empty strings.
    """
    paths = list(paths)
    table = pd.concat([read_table(path) for path in paths], ignore_index=True)
    check_manifest(table, origin=", ".join(map(str, paths)))
    return table.sort_values("utterance", ignore_index=True)


def check_manifest(utterances: pd.DataFrame, origin: str | Path) -> None:
    """Raise an error that names the utterance or speaker at fault.

    Examples
    --------
    >>> row = {"utterance": "u1", "speaker": "s1", "gender": "x", "subset": "train",
    ...        "path": "u1.wav", "duration_s": 1.0, "text": "ONE"}
    >>> check_manifest(pd.DataFrame([row]), origin="made-up")
    Traceback (most recent call last):
    ValueError: made-up: speaker s1 has gender 'x', expected f or m
    """
    missing = [column for column in COLUMNS if column not in utterances]
    if missing:
        raise ValueError(f"{origin}: lacks the columns {', '.join(missing)}")
    if utterances.empty:
        raise ValueError(f"{origin}: holds no utterances")
    for name in ("utterance", "speaker", "path"):
        if (utterances[name].astype(str) == "").any():
            raise ValueError(f"{origin}: an utterance has no {name}")
    twice = utterances["utterance"][utterances["utterance"].duplicated()]
    if len(twice):
        raise ValueError(f"{origin}: {named(twice)} listed more than once")
    for row in utterances[~utterances["gender"].isin(["f", "m"])].itertuples():
        raise ValueError(
            f"{origin}: speaker {row.speaker} has gender {row.gender!r}, expected f or m"
        )
    genders = utterances.groupby("speaker")["gender"].nunique()
    if (genders > 1).any():
        raise ValueError(f"{origin}: speaker {genders.idxmax()} has two genders")
    short = utterances["utterance"][~(utterances["duration_s"] > 0)]
    if len(short):
        raise ValueError(f"{origin}: {named(short)} without a positive duration")
    if "emotion" in utterances:
        odd = utterances[~utterances["emotion"].isin(["", *EMOTIONS])]
        for row in odd.itertuples():
            raise ValueError(
                f"{origin}: utterance {row.utterance} has emotion {row.emotion!r}, "
                f"expected one of {', '.join(EMOTIONS)}"
            )


def check_trials(trials: pd.DataFrame, utterances: pd.DataFrame, origin: str | Path) -> None:
    """Raise an error unless every trial names an enrolled speaker and a trial utterance.

    Parameters
    ----------
    trials
        Columns `enrol` (speaker), `test` (utterance) and `target` (1 = same speaker).
    utterances
        The manifest of the dataset.
    origin
        Where the trials come from, for the message.
    """
    if trials.empty:
        raise ValueError(f"{origin}: holds no trials")
    twice = trials[trials.duplicated(["enrol", "test"])]
    for row in twice.itertuples():
        raise ValueError(f"{origin}: the trial {row.enrol} {row.test} is listed twice")
    known = set(utterances["utterance"][utterances["subset"] != ENROLMENT])
    unknown = trials["test"][~trials["test"].isin(known)].unique()
    if len(unknown):
        raise ValueError(f"{origin}: {named(unknown)} not in the manifest's trial subsets")
    enrolled = set(utterances["speaker"][utterances["subset"] == ENROLMENT])
    strangers = trials["enrol"][~trials["enrol"].isin(enrolled)].unique()
    if len(strangers):
        raise ValueError(f"{origin}: {named(strangers, 'speaker')} without an enrolment utterance")
    speaker_of = utterances.set_index("utterance")["speaker"]
    same = (trials["enrol"] == trials["test"].map(speaker_of)).astype(int)
    for row in trials[same != trials["target"]].itertuples():
        label = "target" if row.target else "nontarget"
        raise ValueError(
            f"{origin}: the trial {row.enrol} {row.test} is labelled {label}, "
            f"but the utterance is by speaker {speaker_of[row.test]}"
        )
    if trials["target"].nunique() < 2:
        raise ValueError(f"{origin}: needs both target and nontarget trials")


def read_table(path: str | Path) -> pd.DataFrame:
    """Read a tab-separated table; identifiers stay text, empty fields stay empty."""
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=3)
    return table.astype({name: kind for name, kind in _TYPES.items() if name in table})


def read_parts(paths: Iterable[str | Path]) -> pd.DataFrame:
    """Return the rows of all parts sorted by utterance; those of one utterance keep their order."""
    table = pd.concat([read_table(path) for path in paths])
    return table.sort_values("utterance", kind="stable", ignore_index=True)


def write_table(path: str | Path, table: pd.DataFrame) -> None:
    """Write a tab-separated table with enough digits to give every float back."""
    with atomic_path(path) as temporary:
        table.to_csv(temporary, sep="\t", index=False, quoting=3, lineterminator="\n")


def write_rows(path: str | Path, ids: Mapping[str, object], rows: Iterable[Mapping]) -> None:
    """Write tidy metric rows, each led by the same identifying columns."""
    write_table(path, pd.DataFrame([{**ids, **row} for row in rows]))


def named(items: Iterable[str], noun: str = "utterance") -> str:
    """Name the first of several items and count the rest.

    Examples
    --------
    >>> named(["u1", "u2", "u3", "u4", "u5"])
    'utterances u1, u2, u3 and 2 more'
    """
    items = list(items)
    head = ", ".join(map(str, items[:3]))
    more = f" and {len(items) - 3} more" if len(items) > 3 else ""
    return f"{noun}{'s' if len(items) > 1 else ''} {head}{more}"
