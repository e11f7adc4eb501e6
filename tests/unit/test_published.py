"""Printed values survive the way through our tables, and obey the rules that metrics obey."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from scripts.lib.catalogue import Catalogue
from scripts.lib.cells import Cells
from scripts.lib.configuration import load_yaml
from scripts.lib.figures.bars import gender_means, sorted_systems
from scripts.lib.manifest import read_table, write_table
from scripts.lib.published import read_vpc2020, read_vpc2020_plan, read_vpc2024
from scripts.lib.tables import Table

FOLDER = Path("config/published")
PRINTED = pd.read_csv(FOLDER / "vpc2020_privacy.csv", dtype=str, keep_default_na=False)
DECIMALS = {"eer": 2, "cllr": 1, "gvd": 2, "deid": 1}
ATTACKERS = ("ignorant", "lazy_informed", "semi_informed")


@pytest.fixture(scope="module")
def catalogue():
    return Catalogue("config", load_yaml("config/config.yaml"))


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("published") / "vpc2020.tsv"
    write_table(path, read_vpc2020(FOLDER / "vpc2020_privacy.csv", FOLDER / "vpc2020_trials.csv"))
    return read_table(path)


@pytest.mark.parametrize("number", range(2, 16))
def test_every_printed_cell_survives(catalogue, rows, number):
    config = catalogue.report_config("published", "tables", f"table_{number:02d}")
    body = [
        line.removesuffix(r" \\").split(" & ")
        for line in Table(config, rows).latex().splitlines()
        if " & " in line
    ]
    printed = PRINTED[PRINTED["table"] == str(number)]
    order = printed["system"].drop_duplicates().tolist()
    assert body[0][2:] == order
    # The file lists blocks, rows and columns in the order of the page.
    found = [cell for line in body[1:] for cell in line[2:]]
    wanted = [
        f"{float(value):.{DECIMALS.get(metric, 3)}f}"
        for metric, value in zip(printed["metric"], printed["value"], strict=True)
    ]
    assert found == wanted
    if number != 3:  # its first block drops trailing zeros
        assert found == printed["value"].tolist()


@pytest.mark.parametrize(("number", "columns"), [("9", ["Orig", "B1"]), ("11", ["Orig", "B2"])])
def test_every_printed_wer_survives(catalogue, tmp_path, number, columns):
    name = f"table_plan_{int(number):02d}"
    assert catalogue.table_inputs("published", name) == [
        f"<results>/metrics/published/vpc2020_plan_{int(number):02d}.tsv"
    ]
    write_table(tmp_path / "t.tsv", read_vpc2020_plan(FOLDER / "vpc2020_plan_wer.csv", number))
    config = catalogue.report_config("published", "tables", name)
    table = Table(config, read_table(tmp_path / "t.tsv"))
    assert table.columns == columns
    assert [row.heading for row in table.rows] == ["WER, %, LM small"] * 4 + [
        "WER, %, LM large"
    ] * 4
    labels = ["LibriSpeech-dev", "VCTK-dev", "LibriSpeech-test", "VCTK-test"]
    assert [row.dataset for row in table.rows] == labels * 2
    found = [100 * cell["value"] for row in table.rows for cell in row.cells]
    printed = pd.read_csv(FOLDER / "vpc2020_plan_wer.csv", dtype=str)
    printed = printed[printed["table"] == number].set_index(["lm", "dataset", "split", "system"])
    wanted = [
        float(printed["value"][lm, dataset, split, system])
        for lm in ("small", "large")
        for split in ("dev", "test")
        for dataset in ("libri", "vctk")
        for system in columns
    ]
    assert found == pytest.approx(wanted, abs=1e-9)
    assert f" & {wanted[0]:.2f} & {wanted[1]:.2f}" in table.latex()


def test_orig_is_kept_once(rows):
    assert not rows.duplicated(["attacker", "system", "dataset", "gender", "metric"]).any()
    assert set(rows["attacker"][rows["system"] == "orig"]) == {"original"}


def test_contradicting_copies_of_orig_are_named(tmp_path):
    text = (FOLDER / "vpc2020_privacy.csv").read_text()
    line = "2,dev,libri,female,lazy-informed,Orig,eer,8.66"
    assert line in text
    (tmp_path / "p.csv").write_text(text.replace(line, line.replace("8.66", "8.67")))
    with pytest.raises(ValueError, match=r"original orig libri_dev f eer: 0\.0866 and 0\.0867"):
        read_vpc2020(tmp_path / "p.csv", FOLDER / "vpc2020_trials.csv")


def test_intervals_come_from_the_numbers_of_trials(rows):
    eer = rows[(rows["metric"] == "eer") & (rows["dataset"] == "libri_test")]
    assert set(eer["targets"]) == {"548", "449"}
    row = eer[(eer["system"] == "b2") & (eer["gender"] == "f")].iloc[0]
    rate = float(row["value"])
    half = 1.96 * math.sqrt(rate * (1 - rate) * (1 / 548 + 1 / 11196) / 4)
    assert float(row["high"]) - rate == pytest.approx(half, rel=1e-4)


def wide(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per condition, attacker and system, one column per metric of scores."""
    scored = rows[rows["attacker"] != ""].assign(value=lambda table: table["value"].astype(float))
    index = ["dataset", "gender", "attacker", "system"]
    return scored.pivot(index=index, columns="metric", values="value")


def test_d_ece_is_a_line_over_cllr_min(rows):
    table = wide(rows)
    residual = table["d_ece"] - (0.71225 - 0.71542 * table["cllr_min"])
    # Original speech counts once here: the largest residual is 0.0103 about its own line.
    slope, intercept = np.polyfit(table["cllr_min"], table["d_ece"], 1)
    assert (slope, intercept) == pytest.approx((-0.71339, 0.71054), abs=1e-4)
    assert residual.abs().max() < 0.01


def test_bounds(rows):
    table = wide(rows)
    assert table["d_ece"].between(0, 1 / (2 * math.log(2))).all()
    assert table["cllr_min"].between(0, 1).all()
    assert (table["cllr"] >= table["cllr_min"]).all()
    assert table["linkability"].between(0, 1).all()
    assert (rows["value"][rows["metric"] == "de_id"].astype(float) <= 1).all()
    below = table[table["eer"] <= 0.5]
    entropy = -below["eer"] * np.log2(below["eer"]) - (1 - below["eer"]) * np.log2(1 - below["eer"])
    assert (below["cllr_min"] <= entropy + 0.001).all()
    gains = rows["value"][rows["metric"] == "g_vd"].astype(float)
    assert (gains > 0).sum() == 1


@pytest.mark.parametrize(
    ("attacker", "size", "expected"),
    [
        ("ignorant", 216, (-0.708, 0.912, -0.823, -0.888)),
        ("lazy_informed", 216, (-0.992, 0.991, -0.990, -0.813)),
        ("semi_informed", 72, (-0.993, 0.996, -0.993, -0.739)),
    ],
)
def test_rank_correlations(rows, attacker, size, expected):
    table = wide(rows).xs(attacker, level="attacker")
    pairs = [
        ("eer", "linkability"),
        ("eer", "cllr_min"),
        ("linkability", "cllr_min"),
        ("worst_case", "cllr_min"),
    ]
    found = [spearmanr(table[x], table[y]).statistic for x, y in pairs]
    assert len(table) == size
    assert found == pytest.approx(expected, abs=6e-4)


def test_stronger_attackers_are_stronger(rows):
    table = wide(rows)["eer"].unstack("attacker")
    semi = table.dropna(subset=["semi_informed"])
    assert (semi["semi_informed"] <= semi["lazy_informed"]).sum() == 72
    assert (table["lazy_informed"] > table["ignorant"]).sum() == 5


# Systems in descending order; those that tie in print stand in one word, in printed order.
SORTED = {
    "figure_01": (
        "S1 O1c1 O1 S2 S2c1 M1c3 B1 M1 S1c1 M1c1 A1 A2 I1 M1c2 M1c4 D1 B2 Orig K2",
        "S2 S2c1 O1 A2 O1c1 B1 S1 A1 M1c1 M1c3 M1 S1c1 I1 D1 B2 M1c4 M1c2 Orig K2",
        "O1c1 S2 O1 S2c1 M1 M1c1 S1 B1 A1 A2 M1c3 S1c1 I1 D1 M1c4 M1c2 B2 Orig K2",
    ),
    "figure_02": (
        "O1c1 O1 S1 S2 S2c1 M1c3 B1 M1 M1c1 S1c1 A2 A1 M1c2 I1 M1c4 D1 B2 Orig K2",
        "S2 S2c1 A2 O1 O1c1 B1 A1 S1 M1c1 M1 M1c3 S1c1 I1 D1 B2 M1c4 M1c2 Orig K2",
        "S2 S2c1 O1 O1c1 M1 M1c1 S1 B1 A2 S1c1 A1 M1c3 I1 D1 B2 M1c4 M1c2 K2 Orig",
    ),
    "figure_13": (
        "I1 K2 B2 D1 M1c2 M1c4 A2 M1c1 M1 A1 M1c3 B1 S1c1 S1 O1c1 O1 S2c1 S2",
        "K2 I1 M1c2 M1c4 B2 D1 A2 S1c1 M1 M1c1 A1 M1c3 B1 S1 O1 O1c1 S2c1 S2",
        "I1 K2 D1 M1c2 B2 M1c4 A2 S1c1 M1 M1c1 A1 M1c3 B1 S1 O1 O1c1 S2c1 S2",
    ),
    "figure_14": (
        "A1 A2 B1 M1 M1c1 M1c3 S1 S2 S2c1 O1c1 O1 S1c1 K2 M1c4 M1c2 D1 B2 I1",
        "A1 A2 B1 K2 M1 M1c1 M1c3 O1 O1c1 S2 S1 S2c1 S1c1 I1 M1c4 D1 M1c2 B2",
        "A1 A2 B1 M1 M1c1 M1c3 O1c1 S1 O1 K2 S2 S2c1 S1c1 D1 I1 B2 M1c2 M1c4",
    ),
}


@pytest.mark.parametrize("figure", SORTED)
def test_bars_stand_in_the_order_of_the_paper(catalogue, rows, figure):
    config = catalogue.report_config("published", "figures", figure)
    cells = Cells(rows, figure)
    for dataset, expected in zip(config["study"]["datasets"]["test"], SORTED[figure], strict=True):
        order = sorted_systems(config, cells, dataset["name"])
        assert [config["display"]["systems"][system] for system in order] == expected.split()


def test_gender_means_are_those_of_figure_16(catalogue, rows):
    config = catalogue.report_config("published", "figures", "figure_16")
    expected = {
        "female": (
            "4.93 48.90 31.89 44.24 51.77 47.81 49.77",
            "4.93 30.98 16.23 35.12 30.81 35.03 3.07",
            "4.93 15.51 7.00 20.26 19.54 14.92 1.72",
        ),
        "male": (
            "1.40 54.34 23.46 47.82 53.63 47.16 49.54",
            "1.40 32.86 10.87 41.57 33.33 40.60 5.32",
            "1.40 11.68 2.65 18.16 26.34 12.40 3.79",
        ),
    }
    for panel in gender_means(config, rows).axes:
        bars = {}
        for bar in panel.patches:
            place = round(bar.get_x() + bar.get_width() / 2)
            bars.setdefault(place, []).append(bar.get_height())
        for number, line in enumerate(expected[panel.get_title()]):
            found = [heights[number % len(heights)] for _, heights in sorted(bars.items())]
            # Means of values with two decimals: half a unit of the second, and a little.
            assert found == pytest.approx(list(map(float, line.split())), abs=0.0051)


def test_baselines_of_2024_are_other_systems():
    rows = read_vpc2024(FOLDER / "vpc2024_baselines.csv")
    assert set(rows["system"]) == {"orig", "b1_2024", "b2_2024"}
    row = rows[(rows["metric"] == "uar") & (rows["subset"] == "test")].iloc[-1]
    assert (row["dataset"], row["value"]) == ("iemocap", "0.5349")
