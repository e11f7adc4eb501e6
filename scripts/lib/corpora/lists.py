"""Write the Kaldi data directories of a corpus whose speakers are in train, dev or test."""

from pathlib import Path

import pandas as pd

from scripts.lib.kaldi import write_kaldi_dir


def write_lists(folder: Path, name: str, utterances: pd.DataFrame) -> None:
    """Write NAME_train, and NAME_{dev,test}_{enrolls,trials_f,trials_m,asr}.

    A trial list is the full product of the enrolled speakers and the trial utterances of one
    gender.

    Parameters
    ----------
    folder
        Where the directories shall stand.
    name
        Beginning of their names.
    utterances
        Columns of a data directory, `part` (train, dev or test) and `role` (enrol, trial, or
        empty for utterances that are only decoded).
    """
    for part, rows in utterances.groupby("part"):
        if part == "train":
            write_kaldi_dir(folder / f"{name}_train", rows)
            continue
        enrolment = rows[rows["role"] == "enrol"]
        write_kaldi_dir(folder / f"{name}_{part}_enrolls", enrolment, enrolment=True)
        write_kaldi_dir(folder / f"{name}_{part}_asr", rows)
        for gender in "fm":
            enrolled = enrolment[enrolment["gender"] == gender]
            trials = rows[(rows["role"] == "trial") & (rows["gender"] == gender)]
            pairs = all_trials(enrolled, trials)
            write_kaldi_dir(folder / f"{name}_{part}_trials_{gender}", trials, trials=pairs)


def all_trials(enrolment: pd.DataFrame, tested: pd.DataFrame) -> pd.DataFrame:
    """Pair every enrolled speaker with every trial utterance.

    Parameters
    ----------
    enrolment, tested
        Columns `speaker` and `utterance`.

    Examples
    --------
    >>> enrolment = pd.DataFrame({"speaker": ["s1", "s1"], "utterance": ["a", "b"]})
    >>> tested = pd.DataFrame({"speaker": ["s1", "s2"], "utterance": ["c", "d"]})
    >>> all_trials(enrolment, tested).to_dict("list")
    {'enrol': ['s1', 's1'], 'test': ['c', 'd'], 'target': [1, 0]}
    """
    speakers = enrolment[["speaker"]].drop_duplicates().rename(columns={"speaker": "enrol"})
    pairs = speakers.merge(tested.rename(columns={"utterance": "test"}), how="cross")
    return pairs.assign(target=(pairs["enrol"] == pairs["speaker"]).astype(int))[
        ["enrol", "test", "target"]
    ]
