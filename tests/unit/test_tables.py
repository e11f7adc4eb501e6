import pandas as pd
import pytest

from scripts.lib.attackers import Weakness
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.tables import Table

SYSTEMS = ("orig", "b2", "b2_2024")


def config_of(table: str) -> dict:
    catalogue = Catalogue("config", load_yaml("config/config.yaml"))
    return catalogue.report_config("demo", "tables", table)


def make_metrics(**seeds: float) -> pd.DataFrame:
    """EER 0.01 f and 0.03 m for orig; 0.2 more for ignorant, 0.1 more for the other attackers."""
    rows = []
    for dataset in ("synth_dev", "synth_test"):
        for system in SYSTEMS:
            attackers = (
                ["original"] if system == "orig" else ["ignorant", "lazy_informed", "semi_informed"]
            )
            for attacker in attackers:
                for gender, base in (("f", 0.01), ("m", 0.03)):
                    for metric in ("eer", "eer_interpolated", "cllr", "cllr_min"):
                        extra = {"original": 0.0, "ignorant": 0.2}.get(attacker, 0.1)
                        for seed, shift in (seeds or {"0": 0.0}).items():
                            value = base + extra + shift
                            rows.append(
                                {
                                    "system": system,
                                    "attacker": attacker,
                                    "seed": seed,
                                    "dataset": dataset,
                                    "gender": gender,
                                    "metric": metric,
                                    "value": str(value),
                                    "low": str(value - 0.005),
                                    "high": str(value + 0.005),
                                    "definition": f"how {metric} is defined",
                                }
                            )
    return pd.DataFrame(rows)


def test_blocks_rows_and_columns_stand_as_printed():
    table = Table(config_of("table_03"), make_metrics())
    headings = list(dict.fromkeys(row.heading for row in table.rows))
    assert headings == [
        "EER, %, ignorant",
        "EER, %, lazy-informed",
        "C_llr, ignorant",
        "C_llr, lazy-informed",
        "C_llr^min, ignorant",
        "C_llr^min, lazy-informed",
    ]
    assert [row.gender for row in table.rows[:2]] == ["female", "male"]
    assert table.columns == ["Orig", "B2", "B2-2024"]


def test_orig_is_always_original_speech():
    table = Table(config_of("table_03"), make_metrics())
    for row in table.rows:
        assert row.cells[0]["value"] == pytest.approx(0.01 if row.gender == "female" else 0.03)
        assert row.cells[0]["attacker"] == "original"


def test_latex_prints_the_units_and_decimals_of_the_paper():
    text = Table(config_of("table_03"), make_metrics()).latex()
    assert r"Synth-test & female & 1.00 & 21.00 & 21.00 \\" in text
    assert r"Synth-test & male & 0.0 & 0.2 & 0.2 \\" in text
    assert r"Synth-test & male & 0.030 & 0.230 & 0.230 \\" in text
    assert r"{$C_{\mathrm{llr}}^{\min}$, ignorant}" in text
    assert text.count(r"\begin{tabular}{llrrr}") == 1


def test_markdown_carries_intervals_study_and_definitions():
    text = Table(config_of("table_11"), make_metrics()).markdown()
    assert "11.00 [10.50, 11.50]" in text
    caption = " ".join(text.split())
    assert "Embedded demonstration" in caption
    assert "EER: how eer is defined" in caption
    widths = {len(line) for line in text.splitlines() if line.startswith("|")}
    assert len(widths) == 1


def test_average_rows_are_plain_means_of_the_genders():
    table = Table(config_of("table_2024_06"), make_metrics())
    assert [row.gender for row in table.rows] == ["female", "male", "average"] * 2
    assert table.rows[2].cells[1]["value"] == pytest.approx((0.11 + 0.13) / 2)


def test_seeds_are_averaged_and_their_spread_is_kept():
    table = Table(config_of("table_11"), make_metrics(a=0.0, b=0.02))
    cell = table.rows[0].cells[1]
    assert cell["value"] == pytest.approx(0.12)
    assert cell["spread"] == pytest.approx(0.02 / 2**0.5)
    assert "Means over 2 training seeds, whose largest standard deviation is" in table.caption
    assert "EER 1.41" in table.caption


def test_tidy_form_keeps_full_precision():
    metrics = make_metrics()
    metrics.loc[metrics["system"] == "b2", "value"] = "0.123456789012345"
    tidy = Table(config_of("table_11"), metrics).tidy()
    found = tidy[(tidy["system"] == "b2") & (tidy["metric"] == "eer")]
    assert found["value"].tolist() == pytest.approx([0.123456789012345] * 2, abs=1e-16)
    assert {"low", "high", "definition", "gender", "dataset"} <= set(tidy.columns)


def test_a_missing_cell_is_named():
    metrics = make_metrics()
    metrics = metrics[~((metrics["system"] == "b2") & (metrics["gender"] == "m"))]
    with pytest.raises(
        ValueError, match=r"table_11: no metric row for metric eer, system b2, .*gender m"
    ):
        Table(config_of("table_11"), metrics)


def test_systems_that_a_study_lacks_are_named_in_the_caption():
    table = Table(config_of("table_11"), make_metrics())
    assert "Not in this study: B1, O1, M1, S2, K2." in table.caption
    assert table.columns == ["Orig", "B2", "B2-2024"]


def test_distinctiveness_has_no_column_of_original_speech():
    rows = [
        {
            "system": system,
            "dataset": "synth_test",
            "gender": gender,
            "metric": metric,
            "value": value,
            "low": "",
            "high": "",
            "definition": "d",
        }
        for system in ("b2", "b2_2024")
        for gender in "fm"
        for metric, value in (("g_vd", "-1.234"), ("de_id", "0.98765"))
    ]
    table = Table(config_of("table_09"), pd.DataFrame(rows))
    assert table.columns == ["B2", "B2-2024"]
    assert [row.heading for row in table.rows[::2]] == ["G_VD, dB", "DeID, %"]
    assert r"Synth-test & female & -1.23 & -1.23 \\" in table.latex()
    assert r"Synth-test & female & 98.8 & 98.8 \\" in table.latex()
    assert "intervals" not in table.markdown()


def test_weak_attackers_are_marked_and_explained():
    weak = Weakness("semi_informed", "b2", "synth_test", "f", "training accuracy is 3 %")
    table = Table(config_of("table_11"), make_metrics(), [weak])
    text = table.markdown().replace("\n", " ")
    assert "**Warning.** Attackers too weak to support a claim of privacy (†): " in text
    assert "semi-informed attacker on B2 (Synth-test female): training accuracy is 3 %." in text
    assert "11.00† [10.50, 11.50]" in text
    # One cell in each of three blocks, and never the column of original speech.
    assert (table.tidy()["warning"] != "").sum() == 3
    latex = table.latex()
    assert r"female & 1.00 & 11.00\dag{} & 11.00 \\" in latex
    assert r"\textbf{Warning.}" in latex
    assert r"training accuracy is 3 \%" in latex


def test_without_weak_attackers_there_is_no_warning():
    table = Table(config_of("table_11"), make_metrics())
    assert "Warning" not in table.markdown() + table.latex()
    assert "†" not in table.markdown()


def test_rebuilt_systems_carry_a_mark_and_say_what_was_guessed():
    config = {**config_of("table_03"), "rebuilt": {"b2": "the radius is guessed"}}
    table = Table(config, make_metrics())
    assert table.columns == ["Orig", "B2‡", "B2-2024"]
    note = "Rebuilt from incomplete descriptions (‡): B2: the radius is guessed."
    assert note in table.caption
    assert r"B2\ddag{}" in table.latex()
    assert "‡" not in Table(config_of("table_03"), make_metrics()).markdown()
