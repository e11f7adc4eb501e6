"""Folds of emotion data: lists that name each fold's utterances, and a protocol's own table."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import pandas as pd

from scripts.lib.kaldi_files import fold_folders, read_map
from scripts.lib.manifest import named

PARTS = ("train", "dev", "test")


def read_fold_lists(
    directory: str | Path, utterances: Collection[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the fold in which each utterance is tested, and the one in which it is dev material.

    Parameters
    ----------
    directory
        Data directory with `folds/foldNN/{train,dev,test}`, each a list of utterances.
    utterances
        All utterances of the directory. Each must be in one part of every fold, and tested once.
    """
    tested: dict[str, str] = {}
    developed: dict[str, str] = {}
    for number, folder in fold_folders(directory).items():
        parts = {part: read_map(folder / part, empty=True).keys() for part in PARTS}
        for part, names in parts.items():
            unknown = sorted(names - set(utterances))
            if unknown:
                raise ValueError(f"{folder / part}: {named(unknown)} not in wav.scp")
        for utterance in utterances:
            places = [part for part, names in parts.items() if utterance in names]
            if len(places) != 1:
                where = " and ".join(places) or "none of train, dev and test"
                raise ValueError(
                    f"{folder}: utterance {utterance} is in {where}; it must be in one"
                )
        for part, chosen in (("test", tested), ("dev", developed)):
            for utterance in sorted(parts[part] & chosen.keys()):
                raise ValueError(
                    f"{folder / part}: utterance {utterance} is {part} material in fold "
                    f"{chosen[utterance]}, too; it may be so once"
                )
            chosen |= dict.fromkeys(parts[part], str(number))
    untested = sorted(set(utterances) - tested.keys())
    if untested:
        raise ValueError(f"{directory}: {named(untested)} not tested in any fold")
    return tested, developed


def check_fold_table(utterances: pd.DataFrame, table: Sequence[Mapping]) -> None:
    """Compare who is left out in each fold with the table of a protocol.

    Parameters
    ----------
    utterances
        A manifest with columns subset, fold, gender and speaker.
    table
        One entry per fold and subset: `fold`, `subset`, and the `gender` and number of
        `utterances` of its one speaker.
    """
    groups = dict(iter(utterances.groupby(["fold", "subset"])))
    for row in table:
        place = f"fold {row['fold']}, {row['subset']}"
        found = groups.pop((str(row["fold"]), row["subset"]), None)
        if found is None:
            raise ValueError(f"{place}: no utterances; spk2fold must name a speaker of this fold")
        speakers = found["speaker"].unique()
        if len(speakers) != 1:
            raise ValueError(f"{place}: {named(speakers, 'speaker')}; the protocol has one")
        counted = found["gender"].iloc[0], len(found)
        if counted != (row["gender"], row["utterances"]):
            raise ValueError(
                f"{place}: speaker {speakers[0]} has gender {counted[0]} and {counted[1]} "
                f"utterances, the protocol's table says {row['gender']} and {row['utterances']}; "
                "correct the lists, or `fold_table` in the dataset's entry"
            )
    for fold, subset in groups:
        raise ValueError(f"fold {fold}, {subset}: is not in `fold_table` of the dataset's entry")
