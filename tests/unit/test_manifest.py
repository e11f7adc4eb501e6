import pandas as pd
import pytest

from scripts.lib.manifest import (
    check_manifest,
    check_trials,
    read_manifests,
    read_table,
    write_manifest,
    write_table,
)


def make_manifest() -> pd.DataFrame:
    rows = [
        ("s1-e", "s1", "f", "enrol"),
        ("s2-e", "s2", "f", "enrol"),
        ("s1-t", "s1", "f", "trials_f"),
        ("s3-t", "s3", "f", "trials_f"),
    ]
    table = pd.DataFrame(rows, columns=["utterance", "speaker", "gender", "subset"])
    return table.assign(path=table["utterance"] + ".wav", duration_s=1.25, text="A B", emotion="")


def make_trial_list(*rows) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["enrol", "test", "target"])


def test_manifest_survives_the_round_trip(tmp_path):
    table = make_manifest()
    write_manifest(tmp_path / "a.tsv", table.iloc[::-1])
    back = read_manifests([tmp_path / "a.tsv"])
    expected = table.sort_values("utterance", ignore_index=True)
    pd.testing.assert_frame_equal(back[table.columns], expected, check_dtype=False)


def test_shards_make_one_manifest(tmp_path):
    table = make_manifest()
    for number in range(3):
        write_manifest(tmp_path / f"{number}.tsv", table.iloc[number::3])
    names = read_manifests(sorted(tmp_path.glob("*.tsv")))["utterance"].tolist()
    assert names == sorted(table["utterance"])


def test_identifiers_stay_text_and_floats_exact(tmp_path):
    table = pd.DataFrame({"speaker": ["007", "NA"], "score": [0.1 + 0.2, 1e-300]})
    write_table(tmp_path / "a.tsv", table)
    back = read_table(tmp_path / "a.tsv")
    assert back["speaker"].tolist() == ["007", "NA"]
    assert back["score"].tolist() == [0.1 + 0.2, 1e-300]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gender": ""}, "speaker s1 has gender ''"),
        ({"gender": ["f", "f", "m", "f"]}, "speaker s1 has two genders"),
        ({"utterance": "same"}, "same, same, same listed more than once"),
        ({"duration_s": 0.0}, "without a positive duration"),
        ({"speaker": ""}, "an utterance has no speaker"),
        ({"emotion": "joy"}, "utterance s1-e has emotion 'joy'"),
    ],
)
def test_bad_rows_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        check_manifest(make_manifest().assign(**change), origin="x.tsv")


def test_missing_column_and_empty_table_are_named():
    with pytest.raises(ValueError, match=r"x\.tsv: lacks the columns gender"):
        check_manifest(make_manifest().drop(columns="gender"), origin="x.tsv")
    with pytest.raises(ValueError, match=r"x\.tsv: holds no utterances"):
        check_manifest(make_manifest().iloc[:0], origin="x.tsv")


def test_good_trials_pass():
    trials = make_trial_list(("s1", "s1-t", 1), ("s1", "s3-t", 0), ("s2", "s3-t", 0))
    check_trials(trials, make_manifest(), origin="trials")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("s1", "gone", 0), ("s1", "s1-t", 1)], "utterance gone not in the manifest"),
        ([("s1", "s1-e", 1), ("s1", "s3-t", 0)], "utterance s1-e not in the manifest's trial"),
        ([("s3", "s3-t", 1), ("s1", "s3-t", 0)], "speaker s3 without an enrolment utterance"),
        ([("s1", "s1-t", 1), ("s1", "s1-t", 1)], "the trial s1 s1-t is listed twice"),
        ([("s1", "s3-t", 1), ("s2", "s3-t", 0)], "s1 s3-t is labelled target, but .* speaker s3"),
        ([("s1", "s1-t", 1)], "needs both target and nontarget trials"),
        ([], "holds no trials"),
    ],
)
def test_bad_trials_are_named(rows, message):
    with pytest.raises(ValueError, match=message):
        check_trials(make_trial_list(*rows), make_manifest(), origin="trials")
