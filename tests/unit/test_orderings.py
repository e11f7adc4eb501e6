"""The five orderings: all hold on the published tables, and failures are found and explained."""

from math import inf

import pandas as pd
import pytest

from scripts import check_orderings
from scripts.lib.attackers import Weakness
from scripts.lib.configuration import load_yaml
from scripts.lib.manifest import write_table
from scripts.lib.orderings import Check, Estimate, figures, judge, unjudged
from scripts.lib.orderings_report import claim, explanation, orderings_report
from scripts.lib.published import read_vpc2020

DISPLAY = load_yaml("config/display.yaml")
TEST = [f"{name}_test{part}" for name, part in (("libri", ""), ("vctk", "_different"))]
TEST.append("vctk_test_common")


@pytest.fixture(scope="module")
def published():
    folder = "config/published/vpc2020"
    rows = read_vpc2020(f"{folder}_privacy.csv", f"{folder}_trials.csv")
    return rows[rows["dataset"].isin(TEST)].reset_index(drop=True)


# Means over the six test cells as the specification of the systems prints them.
@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("orig", (3.3, 3.3, 3.3)),
        ("b1", (50.5, 32.3, 13.7, -10.1)),
        ("b2", (26.2, 13.1, 5.3, -1.9)),
        ("k2", (52.4, 3.8, 2.6, -0.3)),
        ("m1", (53.2, 32.4, 22.6, -8.6)),
        ("o1", (45.5, 39.3, 20.1, -12.7)),
        ("s2", (46.7, 39.2, 14.1, -14.4)),
        ("m1c4", (22.6, 14.5, None, -2.4)),
    ],
)
def test_figures_are_the_means_over_the_published_test_cells(published, system, expected):
    found = figures(published)
    for quantity, value in zip(("oa", "aa", "semi", "g_vd"), expected, strict=False):
        if value is None:
            assert (system, quantity) not in found
        else:
            assert found[system, quantity].value == pytest.approx(value, abs=0.051)


def test_every_claim_holds_on_the_published_tables(published):
    found = figures(published)
    checks = judge(found)
    assert {check.ordering for check in checks} == {1, 2, 3, 4, 5}
    assert [check for check in checks if not check.holds] == []
    assert unjudged(found, checks) == []


def test_a_broken_ordering_is_found_and_explained(published):
    ignorant = (published["system"] == "b1") & (published["attacker"] == "ignorant")
    changed = published.assign(value=published["value"].where(~ignorant, 0.1), low="", high="")
    found = figures(changed)
    failed = [check for check in judge(found) if not check.holds]
    # B1 no longer lies above I1, within its range, near M1c3 or above M1c2.
    assert [(c.ordering, c.system) for c in failed] == [
        (1, "b1"), (1, "b1"), (5, "m1c3"), (5, "m1c2"),
    ]  # fmt: skip
    weak = [Weakness("ignorant", "", "libri_test", "f", "EER of original speech may be 30.0 %")]
    text = explanation(failed[0], found, weak, DISPLAY)
    assert "10.0 against 28.2 of I1, so it is missed by 18.2 points, beyond both" in text
    assert "missed in every cell" in text
    assert "the ignorant attacker is weak (EER of original speech may be 30.0 %)" in text


@pytest.mark.parametrize(
    ("figure", "verdict"),
    [
        (Estimate(4.0, 1.0, 6.0), "holds"),
        (Estimate(4.0, -1.0, 6.0), "holds, within the intervals"),
        (Estimate(-1.0, -3.0, 1.0), "fails, within the intervals"),
        (Estimate(-4.0, -6.0, -1.0), "fails"),
    ],
)
def test_a_verdict_is_certain_only_beyond_the_intervals(figure, verdict):
    assert Check(1, "b1", "oa", "i1", figure, 0.0, inf).verdict == verdict


def test_a_difference_spans_all_differences_of_the_two_intervals():
    one = Estimate(5.0, 4.0, 7.0, {("a", "f"): 5.0})
    two = Estimate(2.0, 1.0, 4.0, {("a", "f"): 1.5, ("b", "f"): 2.5})
    assert one.minus(two) == Estimate(3.0, 0.0, 6.0, {("a", "f"): 3.5})


def test_training_seeds_are_averaged_before_the_cells():
    row = {"metric": "eer", "attacker": "ignorant", "system": "b1", "dataset": "d", "gender": "f"}
    rows = [
        {**row, "seed": seed, "value": value, "low": value - 0.1, "high": value + 0.1}
        for seed, value in enumerate((0.2, 0.4))
    ]
    rows.append({**row, "gender": "m", "seed": 0, "value": 0.5, "low": 0.4, "high": 0.6})
    found = figures(pd.DataFrame(rows))["b1", "oa"]
    assert (found.value, found.low, found.high) == pytest.approx((40.0, 30.0, 50.0))
    assert found.cells == pytest.approx({("d", "f"): 30.0, ("d", "m"): 50.0})


def test_claims_are_named_by_their_range():
    figure = Estimate(0.0, 0.0, 0.0)
    texts = [
        claim(Check(5, "m1c3", "oa", "b1", figure, -5.0, 5.0), {"b1": "B1"}),
        claim(Check(5, "m1c2", "oa", "b1", figure, -inf, -15.0), {"b1": "B1"}),
        claim(Check(2, "k2", "aa", "orig", figure, -inf, 5.0), {}),
        claim(Check(1, "b1", "oa", "", figure, 40.0, 60.0), {}),
    ]
    assert texts == [
        "ignorant EER within 5 of B1",
        "ignorant EER at least 15 below B1",
        "lazy-informed EER at most 5 above orig",
        "ignorant EER between 40 and 60",
    ]


def test_a_study_of_two_systems_says_what_it_lacks(published):
    found = figures(published[published["system"].isin(["orig", "b2"])])
    report = orderings_report("two", found, judge(found), [], DISPLAY)
    assert "## 5. Routing" in report
    assert "This study has no systems to judge it by." in report
    assert "Not in this study, or nothing to compare with: A1, A2, B1," in report


def test_the_step_reads_test_datasets_only_and_writes_the_report(published, tmp_path):
    other = published.assign(dataset="libri_dev", value=0.0)
    write_table(tmp_path / "rows.tsv", pd.concat([published, other]))
    attackers = [{"name": "ignorant", "asv_training": "original"}]
    config = {"title": "all", "attackers": attackers, "curves": []}
    config |= {"datasets": TEST, "display": DISPLAY}
    check_orderings.main([str(tmp_path / "rows.tsv")], [], str(tmp_path / "a.md"), config)
    assert "46 of 46 claims hold." in (tmp_path / "a.md").read_text(encoding="utf-8")
