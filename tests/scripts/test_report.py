"""The steps make_table and make_figure."""

from scripts import make_figure, make_table
from scripts.lib.manifest import read_table, write_table
from tests.unit.test_figures import config as figure_config  # noqa: F401
from tests.unit.test_tables import config_of, make_metrics


def test_table_is_written_three_times(tmp_path):
    write_table(tmp_path / "metrics.tsv", make_metrics())
    outputs = {form: str(tmp_path / f"table_03.{form}") for form in ("tsv", "md", "tex")}
    make_table.main([str(tmp_path / "metrics.tsv")], config=config_of("table_03"), **outputs)
    assert len(read_table(outputs["tsv"])) == 6 * 2 * 3
    assert "21.00" in (tmp_path / "table_03.md").read_text()
    assert r"\bottomrule" in (tmp_path / "table_03.tex").read_text()


def test_figure_is_written_as_vector_and_picture(tmp_path, figure_config):  # noqa: F811
    write_table(tmp_path / "metrics.tsv", make_metrics())
    outputs = {form: str(tmp_path / f"figure.{form}") for form in ("pdf", "png")}
    make_figure.main([str(tmp_path / "metrics.tsv")], config=figure_config, **outputs)
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
