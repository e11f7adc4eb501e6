"""Set A and set B share speakers but no utterance."""

import pandas as pd
import pytest

from scripts.lib.legal.sets import build_sets, spoken_in

CONFIG = {
    "set_a": {"x": ["set_a"]},
    "set_b": {"x": ["set_b"]},
    "share_b": 0.5,
    "minimum_utterances": {"a": 1, "b": 1},
    "seed": 0,
}


def spoken(counts, subset="set_a", dataset="x"):
    rows = [
        (dataset, subset, f"{speaker}-{subset}{number}", speaker)
        for speaker, count in counts.items()
        for number in range(count)
    ]
    return pd.DataFrame(rows, columns=["dataset", "subset", "utterance", "speaker"])


def test_named_subsets_go_where_they_are_named():
    table = pd.concat([spoken({"s": 2, "t": 1}), spoken({"s": 3}, "set_b")], ignore_index=True)
    sets = build_sets(table, CONFIG)
    assert {s: len(u) for s, u in spoken_in(sets, "a").items()} == {"s": 2, "t": 1}
    assert {s: len(u) for s, u in spoken_in(sets, "b").items()} == {"s": 3}


def test_a_subset_of_both_is_dealt_speaker_by_speaker():
    config = {**CONFIG, "set_b": {"x": ["set_a"]}, "share_b": 0.3}
    sets = build_sets(spoken({"s": 10, "t": 5, "u": 1}), config)
    assert sets["utterance"].is_unique
    assert len(sets) == 16
    # Three tenths, rounded down.
    assert {s: len(u) for s, u in spoken_in(sets, "b").items()} == {"s": 3, "t": 1}
    assert {s: len(u) for s, u in spoken_in(sets, "a").items()} == {"s": 7, "t": 4, "u": 1}


def test_dealing_depends_on_nobody_else_and_on_no_order():
    config = {**CONFIG, "set_b": {"x": ["set_a"]}}
    alone = build_sets(spoken({"s": 8}), config)
    table = spoken({"t": 4, "s": 8}).sample(frac=1, random_state=1)
    assert spoken_in(build_sets(table, config), "b")["s"] == spoken_in(alone, "b")["s"]
    other = build_sets(spoken({"s": 8}), {**config, "seed": 1})
    assert spoken_in(other, "b") != spoken_in(alone, "b")


def test_who_says_too_little_is_left_out_of_both():
    table = pd.concat([spoken({"s": 4, "t": 1}), spoken({"s": 2, "t": 2}, "set_b")])
    sets = build_sets(
        table.reset_index(drop=True), {**CONFIG, "minimum_utterances": {"a": 2, "b": 1}}
    )
    assert set(sets["speaker"]) == {"s"}


@pytest.mark.parametrize(
    ("counts_b", "changes", "message"),
    [
        ({"z": 1}, {}, "set B: speaker z not in set A"),
        ({"s": 1}, {"minimum_utterances": {"a": 1, "b": 2}}, "set B: no speaker has 2 utterances"),
        (
            {"s": 1},
            {"set_a": {"x": ["train"]}},
            "dataset x: has no utterance of the subset 'train'",
        ),
    ],
)
def test_sets_that_cannot_be_built_say_why(counts_b, changes, message):
    table = pd.concat([spoken({"s": 2}), spoken(counts_b, "set_b")], ignore_index=True)
    with pytest.raises(ValueError, match=message):
        build_sets(table, {**CONFIG, **changes})
