import pandas as pd
import pytest

from scripts.lib.configuration import load_yaml
from scripts.lib.folds import check_fold_table, read_fold_lists
from scripts.lib.kaldi import read_kaldi_dir, write_kaldi_dir
from tests.factories import make_utterances

SPEAKERS = {"a": "f", "b": "m", "c": "f"}
# Each fold tests one speaker and develops on the next.
LISTS = {"fold01": "cba", "fold02": "acb", "fold03": "bac"}


@pytest.fixture
def data(tmp_path):
    """Three speakers of one utterance each, in three folds."""
    rows = make_utterances(tmp_path, SPEAKERS, 1, emotion="neu")
    write_kaldi_dir(tmp_path / "data", rows)
    for fold, speakers in LISTS.items():
        folder = tmp_path / "data" / "folds" / fold
        folder.mkdir(parents=True)
        for part, speaker in zip(("train", "dev", "test"), speakers, strict=True):
            (folder / part).write_text(f"{speaker}-u0\n")
    return tmp_path


def test_roles_come_from_the_lists(data):
    table = read_kaldi_dir(data / "data", data, "test").set_index("speaker")
    assert table["fold"].to_dict() == {"a": "1", "b": "2", "c": "3"}
    assert table["dev_fold"].to_dict() == {"a": "3", "b": "1", "c": "2"}


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("folds/fold01/test", "x-u0\n", r"fold01.test: utterance x-u0 not in wav\.scp"),
        ("folds/fold01/dev", "a-u0\n", r"fold01: utterance a-u0 is in dev and test"),
        ("folds/fold01/train", "", r"c-u0 is in none of train, dev and test"),
        ("utt2fold", "a-u0 2\n", r"a-u0 is of fold 2, but folds/ tests it in fold 1"),
        ("folds/first", "", r"first: expected a folder named fold01"),
    ],
)
def test_contradictions_are_named(data, file, content, message):
    (data / "data" / file).write_text(content)
    with pytest.raises(ValueError, match=message):
        read_kaldi_dir(data / "data", data, "test")


def test_an_utterance_is_tested_once(data):
    folder = data / "data" / "folds" / "fold02"
    (folder / "test").write_text("a-u0\n")
    (folder / "train").write_text("b-u0\n")
    with pytest.raises(ValueError, match=r"a-u0 is test material in fold 1, too"):
        read_fold_lists(data / "data", ["a-u0", "b-u0", "c-u0"])


ROWS = [("1", "dev", "s1", "f"), ("1", "dev", "s1", "f"), ("1", "test", "s2", "m")]
TABLE = [
    {"fold": 1, "subset": "dev", "gender": "f", "utterances": 2},
    {"fold": 1, "subset": "test", "gender": "m", "utterances": 1},
]


def manifest(rows):
    return pd.DataFrame(rows, columns=["fold", "subset", "speaker", "gender"])


def test_a_protocol_s_table_is_met():
    check_fold_table(manifest(ROWS), TABLE)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[1:], "fold 1, dev: speaker s1 has gender f and 1 utterances, .* says f and 2"),
        (ROWS[:2], "fold 1, test: no utterances"),
        ([*ROWS, ("1", "test", "s3", "m")], "fold 1, test: speakers s2, s3; the protocol has one"),
        ([*ROWS, ("2", "test", "s4", "m")], "fold 2, test: is not in `fold_table`"),
    ],
)
def test_other_lists_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        check_fold_table(manifest(rows), TABLE)


# Utterances of the women and men of sessions 1 to 5, as the evaluation plan counts them.
SESSIONS = {1: (528, 557), 2: (481, 542), 3: (522, 629), 4: (528, 503), 5: (590, 651)}


def test_iemocap_leaves_out_one_session_per_fold():
    table = load_yaml("config/datasets/iemocap.yaml")["fold_table"]
    counts = {(row["fold"], row["gender"]): row["utterances"] for row in table}
    assert counts == {
        (session, gender): count
        for session, both in SESSIONS.items()
        for gender, count in zip("fm", both, strict=True)
    }
    assert sum(counts.values()) == 5531
    roles = {(row["fold"], row["subset"]): row["gender"] for row in table}
    # Printed in the plan: the woman of session 1 and the man of session 2 are for development.
    assert roles[1, "dev"] == "f"
    assert roles[2, "dev"] == "m"
    assert all({roles[fold, "dev"], roles[fold, "test"]} == {"f", "m"} for fold in SESSIONS)
