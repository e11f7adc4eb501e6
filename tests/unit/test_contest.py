import pandas as pd
import pytest

from scripts import find_strongest
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import ConfigurationError, load_yaml
from scripts.lib.contest import contest, contest_report
from scripts.lib.manifest import read_table, write_table

MAIN = load_yaml("config/config.yaml")


def rows(asv, attacker, system, female, male, seed="0"):
    return [
        {
            "metric": "eer",
            "asv": asv,
            "attacker": attacker,
            "seed": seed,
            "system": system,
            "dataset": "synth_test",
            "gender": gender,
            "value": str(value),
            "low": str(value - 0.01),
            "high": str(value + 0.01),
        }
        for gender, value in (("f", female), ("m", male))
    ]


METRICS = pd.DataFrame(
    [
        *rows("small", "lazy_informed", "b2", 0.30, 0.20),
        *rows("small", "semi_informed", "b2", 0.10, 0.30),
        *rows("large", "semi_informed", "b2", 0.18, 0.14, seed="0"),
        *rows("large", "semi_informed", "b2", 0.22, 0.18, seed="1"),
        *rows("small", "original", "orig", 0.02, 0.04),
        *rows("large", "original", "orig", 0.03, 0.05),
    ]
)


def test_the_strongest_has_the_lowest_average_of_the_genders():
    table = contest(METRICS)
    best = table[table["strongest"] == 1].set_index(["system", "gender"])
    # Means over seeds are 20 % and 16 %; the small model has 10 % and 30 %, 20 % on average.
    assert best.loc[("b2", "average"), "asv"] == "large"
    assert best.loc[("b2", "average"), "value"] == pytest.approx(0.18)
    assert best.loc[("b2", "f"), "value"] == pytest.approx(0.20)
    assert best.loc[("b2", "f"), "low"] == pytest.approx(0.19)
    assert best.loc[("orig", "average"), "asv"] == "small"
    assert len(best) == 6
    assert len(table) == 15


def test_the_report_names_who_it_was_and_shows_all():
    display = {"systems": {"b2": "B2"}, "datasets": {}, "attackers": {"semi_informed": "semi"}}
    text = contest_report(contest(METRICS), "Test", display)
    line = next(line for line in text.splitlines() if "average" in line and "B2" in line)
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells == ["B2", "synth_test", "average", "18.00", "large", "semi"]
    assert "small, lazy_informed" in text
    assert "30.00 [29.00, 31.00]" in text


def test_the_script_writes_all_attacks_and_the_report(tmp_path):
    write_table(tmp_path / "all.tsv", METRICS)
    display = {"systems": {}, "datasets": {}, "attackers": {}}
    find_strongest.main(
        metrics=[str(tmp_path / "all.tsv")],
        tsv=str(tmp_path / "s.tsv"),
        md=str(tmp_path / "s.md"),
        config={"title": "Test", "display": display},
    )
    table = read_table(tmp_path / "s.tsv")
    assert set(table[table["strongest"] == "1"]["asv"]) == {"small", "large"}
    assert (tmp_path / "s.md").read_text().startswith("**table_strongest**")


def catalogue(**study):
    base = {"title": "t", "datasets": {"test": ["synth_test"]}, "systems": ["orig", "b2"]}
    return Catalogue("config", {**MAIN, "studies": {"x": {**base, **study}}})


def test_a_pretrained_contender_is_never_trained_on_anonymized_speech():
    made = catalogue(asv="ecapa_demo", contenders=["resemblyzer"], seeds=[3, 4])
    files = [path.removeprefix("<results>/metrics/privacy/") for path in made.contest_inputs("x")]
    assert [path for path in files if path.startswith("resemblyzer")] == [
        "resemblyzer/original/0/orig/synth_test.tsv",
        "resemblyzer/ignorant/0/b2/synth_test.tsv",
        "resemblyzer/lazy_informed/0/b2/synth_test.tsv",
    ]
    assert "ecapa_demo/semi_informed/4/b2/synth_test.tsv" in files
    assert "<results>/x/tables/table_strongest.md" in made.targets("x")


def test_contenders_are_checked():
    with pytest.raises(ConfigurationError, match="study x, contenders: no asv entry 'gone'"):
        catalogue(asv="ecapa_demo", contenders=["gone"])
    with pytest.raises(ConfigurationError, match="resemblyzer is pretrained and cannot learn"):
        catalogue(asv="resemblyzer")
    with pytest.raises(ConfigurationError, match="table_strongest needs the key 'contenders'"):
        catalogue(asv="ecapa_demo").contest_inputs("x")
