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
    main(str(folder / "t.tsv"), str(folder / "m.tsv"), IDS)
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
