import pytest

from scripts.lib.summary import summary


def test_main_tables_come_first_then_all_paths(tmp_path):
    folder = tmp_path / "demo"
    (folder / "tables").mkdir(parents=True)
    (folder / "tables" / "table_03.md").write_text("the main table\n")
    (folder / "tables" / "table_02.md").write_text("another\n")
    text = summary(folder)
    assert text.startswith("the main table")
    assert "another" not in text
    assert str(folder / "tables" / "table_02.md") in text


def test_a_study_that_was_not_run_says_what_to_do(tmp_path):
    with pytest.raises(SystemExit, match="run `snakemake demo` first"):
        summary(tmp_path / "demo")
