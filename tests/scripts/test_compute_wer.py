import pandas as pd
import pytest

from scripts.compute_wer import main
from scripts.lib.manifest import read_table, write_table

IDS = {"asr": "ctc", "trained_on": "orig", "lm": "tri", "system": "b2", "dataset": "made_up"}


def compute(folder, rows) -> pd.DataFrame:
    columns = ["speaker", "lm_weight", "insertion_penalty", "reference", "hypothesis"]
    table = pd.DataFrame(rows, columns=columns).assign(subset="trials_f")
    table["utterance"] = [f"u{number}" for number in range(len(table))]
    write_table(folder / "t.tsv", table)
    main([str(folder / "t.tsv")], str(folder / "m.tsv"), IDS)
    return read_table(folder / "m.tsv").set_index("metric")


def test_rows_by_hand(tmp_path):
    found = compute(
        tmp_path,
        [
            ("s1", 0.5, 0.0, "A B C D", "A X C D"),
            ("s1", 0.5, 0.0, "A B C", "A B C E"),
            ("s2", 0.5, 0.0, "NA NULL N", ""),
        ],
    )
    assert (found[list(IDS)] == pd.Series(IDS)).all(axis=None)
    values = found["value"].astype(float)
    assert values["wer"] == pytest.approx(5 / 10)
    assert values[["substitutions", "deletions", "insertions", "words"]].tolist() == [1, 3, 1, 10]
    assert values[["lm_weight", "insertion_penalty"]].tolist() == [0.5, 0.0]
    # Either speaker alone has 2/7 or 3/3.
    assert float(found["low"]["wer"]) == pytest.approx(2 / 7)
    assert float(found["high"]["wer"]) == pytest.approx(1.0)
    assert "best of" not in found["definition"]["wer"]


def test_settings_are_chosen_over_all_parts_together(tmp_path):
    columns = ["utterance", "speaker", "lm_weight", "reference", "hypothesis"]
    rows = [
        # The first part alone would choose 0.5, the second 2.0; together 1.0 has fewest errors.
        ("u1", "s1", 0.5, "A B C D", "A B C D"),
        ("u1", "s1", 1.0, "A B C D", "A B C X"),
        ("u1", "s1", 2.0, "A B C D", "X X X X"),
        ("u2", "s2", 0.5, "A B C D", "X X X X"),
        ("u2", "s2", 1.0, "A B C D", "A B C X"),
        ("u2", "s2", 2.0, "A B C D", "A B C D"),
    ]
    table = pd.DataFrame(rows, columns=columns).assign(subset="trials_f", insertion_penalty=0.0)
    paths = [str(tmp_path / name) for name in ("000.tsv", "001.tsv", "002.tsv")]
    for path, part in zip(paths, (table[3:], table[:3], table[:0]), strict=True):
        write_table(path, part)
    write_table(tmp_path / "whole.tsv", table)
    main(paths, str(tmp_path / "parts.tsv"), IDS)
    main([str(tmp_path / "whole.tsv")], str(tmp_path / "one.tsv"), IDS)
    assert (tmp_path / "parts.tsv").read_bytes() == (tmp_path / "one.tsv").read_bytes()
    values = read_table(tmp_path / "one.tsv").set_index("metric")["value"].astype(float)
    assert values[["wer", "lm_weight"]].tolist() == [2 / 8, 1.0]


def test_no_trials_at_all_are_an_error(tmp_path):
    with pytest.raises(ValueError, match="no subset `trials…`"):
        compute(tmp_path, [])


def test_the_best_of_several_settings_counts(tmp_path):
    found = compute(
        tmp_path,
        [
            ("s1", 0.5, 0.0, "A B", "A X"),
            ("s1", 1.0, 0.0, "A B", "A B"),
            ("s1", 2.0, 1.0, "A B", "A"),
            ("s2", 0.5, 0.0, "C D", "C D"),
            ("s2", 1.0, 0.0, "C D", "C D"),
            ("s2", 2.0, 1.0, "C D", "C D"),
        ],
    )
    values = found["value"].astype(float)
    assert values[["wer", "words", "lm_weight"]].tolist() == [0.0, 4.0, 1.0]
    assert found["definition"]["wer"].endswith("best of 3 decoder settings")
