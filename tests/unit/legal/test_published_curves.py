"""The published curves hold what the paper's text quotes."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.legal.published_curves import read_curves
from scripts.lib.legal.report import curves_of

CURVES = Path("config/published/legal_figure1.csv")


@pytest.fixture(scope="module")
def points():
    catalogue = Catalogue("config", load_yaml("config/config.yaml"))
    table = curves_of(read_curves(CURVES), catalogue.legal_plan("published").report_config)
    return table.set_index(["metric", "attacker", "length", "speakers"])


def value(points, metric, attacker, length, speakers):
    return points["value"][metric, attacker, length, speakers]


@pytest.mark.parametrize(
    ("metric", "attacker", "length", "speakers", "quoted"),
    [
        # "from 82 % to 35 %" between 20 and 10,000 speakers, and "77 % to 21 %".
        ("linkability", "original", 1, 20, 0.82),
        ("linkability", "original", 1, 10020, 0.35),
        ("linkability", "informed", 1, 20, 0.77),
        ("linkability", "informed", 1, 10020, 0.21),
        # "57 % to 38 %"; at the very last point it is 36 %.
        ("singling_out", "original", 1, 30, 0.57),
        ("singling_out", "original", 1, 12800, 0.38),
        # "up to 94-95 %" of unprotected speech at L = 3 and 30.
        ("linkability", "original", 3, 20, 0.95),
        ("linkability", "original", 30, 20, 0.94),
        # "up to 96 %" and "up to 99 %" for the informed attacker.
        ("linkability", "informed", 30, 20, 0.96),
        ("singling_out", "informed", 30, 30, 0.99),
    ],
)
def test_values_quoted_in_the_text(points, metric, attacker, length, speakers, quoted):
    assert round(value(points, metric, attacker, length, speakers), 2) == quoted


def test_one_minus_eer_stays_at_80_to_90_percent_for_two_attackers_only(points):
    curves = points["value"]["one_minus_eer"].unstack("attacker").loc[1]
    assert curves[["original", "informed"]].stack().between(0.8, 0.9).all()
    assert (curves[["semi_informed", "ignorant"]].stack() < 0.66).all()


def test_grids_end_with_the_speakers_who_have_enough_utterances(points):
    keys = points.index.to_frame(index=False)
    sizes = keys.groupby(["metric", "length"])["speakers"].agg(["nunique", "max"])
    assert sizes.loc["singling_out"].to_dict("index") == {
        1: {"nunique": 10, "max": 22015},
        3: {"nunique": 10, "max": 21935},
        30: {"nunique": 8, "max": 3443},
    }
    assert set(sizes.loc["linkability"]["nunique"]) == {220}
    assert set(sizes.loc["one_minus_eer"]["max"]) == {20480}


def test_chance_and_recorded_spread(points):
    linkability = points.loc["linkability"]
    size = linkability.index.get_level_values("speakers")
    assert linkability["chance"].to_numpy() == pytest.approx(1 / size.to_numpy())
    assert set(points.loc["singling_out"]["chance"]) == {0.37}
    # Zeros of the source mean that no spread was recorded.
    assert points.loc["singling_out"]["spread"].isna().all()
    assert (points.loc["one_minus_eer"]["spread"] > 0).any()


def test_every_row_is_kept():
    rows = read_curves(CURVES)
    assert Counter(rows["metric"]) == {
        "singling_out": 112,
        "linkability": 2640,
        "one_minus_eer": 132,
    }
    # Values of singling out are shares of 24,750 draws, or of 495 at the largest population.
    draws = pd.to_numeric(rows["value"][rows["metric"] == "singling_out"]) * 24750
    assert draws.to_numpy() == pytest.approx(draws.round().to_numpy(), abs=1e-6)
