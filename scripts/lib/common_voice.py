"""Mozilla Common Voice: read a release's list and deal its clips to set A and set B."""

import logging
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from scripts.lib.manifest import named
from scripts.lib.seeding import digest_of

logger = logging.getLogger("common_voice")
GENDERS = {"female": "f", "male": "m"}
COLUMNS = ("client_id", "path", "gender")


def read_release(path: str | Path) -> pd.DataFrame:
    """Return the clips of speakers who state one gender, female or male.

    Parameters
    ----------
    path
        A released list such as validated.tsv.

    Returns
    -------
    pandas.DataFrame
        Columns utterance, speaker, gender and clip.
    """
    table = pd.read_csv(path, sep="\t", dtype=str, keep_default_na=False, quoting=3)
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise ValueError(
            f"{path}: lacks the columns {', '.join(missing)}; is it a list of Common Voice?"
        )
    twice = table["path"][table["path"].duplicated()]
    if len(twice):
        raise ValueError(f"{path}: {named(twice, 'clip')} listed more than once")
    stated = table[table["gender"].isin(list(GENDERS))]
    both = stated.groupby("client_id")["gender"].nunique()
    clips = stated[stated["client_id"].map(both) == 1]
    logger.info(
        "%s: %d clips of %d speakers, %d speakers state one of the two genders",
        path,
        len(table),
        table["client_id"].nunique(),
        clips["client_id"].nunique(),
    )
    if clips.empty:
        raise ValueError(f"{path}: no clip of a speaker who states the gender female or male")
    return pd.DataFrame(
        {
            "utterance": [Path(clip).stem for clip in clips["path"]],
            "speaker": clips["client_id"],
            "gender": clips["gender"].map(GENDERS),
            "clip": clips["path"],
        }
    ).reset_index(drop=True)


def deal_clips(clips: pd.DataFrame, minimum_s: Mapping[str, float], seed: int) -> pd.DataFrame:
    """Return the clips with a column `set`: `a`, `b`, or nothing for who says too little.

    The clips of a speaker are put in the order of a hash of seed and name. Set A gets the first
    ones until it has `minimum_s["a"]` seconds. Set B gets the others if they last
    `minimum_s["b"]` seconds; if not, they stay in set A. So every speaker of set B is in set A,
    with other clips. The paper gives the two durations and no more; its Table 1 has less than the
    first of them in set A (53 s per speaker), so its counts cannot be met exactly.

    Parameters
    ----------
    clips
        Columns utterance, speaker and duration_s.
    minimum_s
        Speech that a speaker needs in each set.
    seed
        Seed of the order.
    """
    order = [digest_of(seed, "clip", name) for name in clips["utterance"]]
    dealt = clips.assign(order=order).sort_values(["speaker", "order"])
    duration_s = dealt.groupby("speaker")["duration_s"]
    total_s, before_s = duration_s.transform("sum"), duration_s.cumsum() - dealt["duration_s"]
    first = before_s < minimum_s["a"]
    rest_s = dealt["duration_s"].where(~first, 0.0).groupby(dealt["speaker"]).transform("sum")
    in_b = ~first & (rest_s >= minimum_s["b"])
    dealt["set"] = in_b.map({True: "b", False: "a"}).where(total_s >= minimum_s["a"], "")
    return dealt.drop(columns="order").sort_values("utterance", ignore_index=True)


def count_sets(clips: pd.DataFrame, expected: Mapping[str, Mapping]) -> pd.DataFrame:
    """Return sizes of both sets beside the printed ones.

    Parameters
    ----------
    clips
        Columns set, speaker, gender and duration_s.
    expected
        Printed sizes by set, or nothing.

    Returns
    -------
    pandas.DataFrame
        Columns set, quantity, found, expected and agrees (empty where nothing is printed).
    """
    rows = []
    for name in ("a", "b"):
        chosen = clips[clips["set"] == name]
        speakers = chosen.drop_duplicates("speaker")["gender"].value_counts()
        found = {
            "speakers_f": int(speakers.get("f", 0)),
            "speakers_m": int(speakers.get("m", 0)),
            "speakers": int(speakers.sum()),
            "hours": round(chosen["duration_s"].sum() / 3600),
            "utterances": len(chosen),
        }
        for quantity, number in found.items():
            printed = expected.get(name, {}).get(quantity, "")
            agrees = "" if printed == "" else ("yes" if printed == number else "no")
            row = {"set": name, "quantity": quantity, "found": number}
            rows.append({**row, "expected": printed, "agrees": agrees})
    return pd.DataFrame(rows)
