"""Set A and set B of the legal framework: other utterances of the same speakers."""

from collections.abc import Iterable, Mapping

import pandas as pd

from scripts.lib.manifest import named
from scripts.lib.seeding import digest_of

SETS = ("a", "b")


def build_sets(utterances: pd.DataFrame, config: Mapping) -> pd.DataFrame:
    """Assign utterances to set A and set B, which share speakers but no utterance.

    An utterance of a subset that both sets name is dealt: the utterances of a speaker are put in
    the order of a hash of seed and name, and the first `share_b` of them, rounded down, go to
    set B. So neither other speakers nor the order of files can change a set.

    Parameters
    ----------
    utterances
        Columns dataset, subset, utterance and speaker.
    config
        The keys set_a, set_b, share_b, minimum_utterances and seed of an entry of config/legal.

    Returns
    -------
    pandas.DataFrame
        Columns set (`a` or `b`), speaker, utterance and dataset, sorted.
    """
    member = {name: _member(utterances, config[f"set_{name}"]) for name in SETS}
    dealt = member["a"] & member["b"]
    to_b = _dealt_to_b(utterances[dealt], config["share_b"], config["seed"])
    in_b = member["b"] & (~dealt | utterances["utterance"].isin(to_b))
    parts = {"a": utterances[member["a"] & ~in_b], "b": utterances[in_b]}
    unknown = sorted(set(parts["b"]["speaker"]) - set(utterances["speaker"][member["a"]]))
    if unknown:
        raise ValueError(f"set B: {named(unknown, 'speaker')} not in set A, which holds everybody")
    fewest = config["minimum_utterances"]
    parts = {name: _with_at_least(parts[name], fewest[name]) for name in SETS}
    parts["b"] = parts["b"][parts["b"]["speaker"].isin(parts["a"]["speaker"])]
    for name, part in parts.items():
        if part.empty:
            raise ValueError(
                f"set {name.upper()}: no speaker has {fewest[name]} utterances; "
                "check set_a, set_b and minimum_utterances of the legal entry"
            )
    table = pd.concat([part.assign(set=name) for name, part in parts.items()])
    columns = ["set", "speaker", "utterance", "dataset"]
    return table[columns].sort_values(columns, ignore_index=True)


def spoken_in(sets: pd.DataFrame, name: str) -> dict[str, list[str]]:
    """Return the utterances of each speaker of a set, both sorted.

    Examples
    --------
    >>> rows = {"set": ["a", "a", "b"], "speaker": ["s", "s", "s"], "utterance": ["u1", "u2", "u3"]}
    >>> spoken_in(pd.DataFrame(rows), "a")
    {'s': ['u1', 'u2']}
    """
    chosen = sets[sets["set"] == name].sort_values(["speaker", "utterance"])
    return {speaker: list(part) for speaker, part in chosen.groupby("speaker")["utterance"]}


def _member(utterances: pd.DataFrame, subsets: Mapping[str, Iterable[str]]) -> pd.Series:
    pairs = {(dataset, subset) for dataset, names in subsets.items() for subset in names}
    found = pd.MultiIndex.from_frame(utterances[["dataset", "subset"]])
    for dataset, subset in sorted(pairs - set(found)):
        raise ValueError(f"dataset {dataset}: has no utterance of the subset {subset!r}")
    return pd.Series(found.isin(pairs), index=utterances.index)


def _dealt_to_b(utterances: pd.DataFrame, share: float, seed: int) -> set[str]:
    chosen: set[str] = set()
    for _, names in utterances.groupby("speaker")["utterance"]:
        order = sorted(names, key=lambda name: digest_of(seed, "deal", name))
        chosen.update(order[: int(share * len(order))])
    return chosen


def _with_at_least(utterances: pd.DataFrame, count: int) -> pd.DataFrame:
    spoken = utterances.groupby("speaker")["utterance"].transform("size")
    return utterances[spoken >= count]
