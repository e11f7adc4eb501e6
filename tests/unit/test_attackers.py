import pandas as pd
import pytest

from scripts.lib.attackers import Evidence
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.published import read_vpc2020
from scripts.lib.report_card import report_card

CATALOGUE = Catalogue("config", load_yaml("config/config.yaml"))
ATTACKERS = {
    "ignorant": {"asv_training": "original"},
    "lazy_informed": {"asv_training": "original"},
    "semi_informed": {"asv_training": "anonymized"},
}


def rates(seed="0", **values):
    """EERs of one system on one list, each with an interval of two points either way."""
    rows = [
        {
            "attacker": attacker,
            "system": "orig" if attacker == "original" else "b2",
            "seed": seed,
            "dataset": "synth_test",
            "gender": "f",
            "metric": "eer",
            "value": value,
            "low": value - 0.02,
            "high": value + 0.02,
        }
        for attacker, value in values.items()
    ]
    return pd.DataFrame(rows)


def curve(train, valid):
    return pd.DataFrame(
        {
            "epoch": ["1", "2"],
            "train_loss": ["5", "1.25"],
            "train_accuracy": ["0.1", str(train)],
            "valid_loss": ["5", "2"],
            "valid_accuracy": ["0.1", str(valid)],
        }
    )


GOOD = rates(original=0.05, ignorant=0.4, lazy_informed=0.3, semi_informed=0.1)


def test_strong_attackers_give_no_warning():
    curves = [
        ({"trained_on": "orig", "seed": 0}, curve(0.9, 0.8)),
        ({"trained_on": "b2", "seed": 0}, curve(0.9, 0.1)),
    ]
    assert Evidence(ATTACKERS, GOOD, curves).weaknesses() == []


def test_a_model_that_fails_on_original_speech_is_weak():
    # 24 % is below the limit, but its interval reaches 26 %.
    rows = rates(original=0.24, ignorant=0.4, lazy_informed=0.39, semi_informed=0.1)
    found = Evidence(ATTACKERS, rows, []).weaknesses()
    assert [w.attacker for w in found] == ["ignorant", "lazy_informed"]
    assert found[0].reason == "EER of original speech may be 26.0 %"
    cell = {"attacker": "ignorant", "system": "b2", "dataset": "synth_test", "gender": "f"}
    assert found[0].concerns(cell)
    assert not found[0].concerns({**cell, "gender": "m"})
    assert not found[0].concerns({**cell, "attacker": "semi_informed"})


@pytest.mark.parametrize(
    ("trained_on", "train", "valid", "weak", "system"),
    [
        ("orig", 0.9, 0.4, ["ignorant", "lazy_informed"], ""),
        ("b2", 0.4, 0.9, ["semi_informed"], "b2"),
        ("orig", 0.4, 0.9, [], ""),
        ("b2", 0.9, 0.0, [], ""),
    ],
)
def test_untrained_models_are_weak(trained_on, train, valid, weak, system):
    curves = [({"trained_on": trained_on, "seed": 3}, curve(train, valid))]
    found = Evidence(ATTACKERS, GOOD, curves).weaknesses()
    assert [w.attacker for w in found] == weak
    assert all(w.system == system and "40 % (seed 3)" in w.reason for w in found)


def test_the_order_counts_as_broken_beyond_both_intervals_only():
    inside = rates(original=0.05, ignorant=0.40, lazy_informed=0.435, semi_informed=0.1)
    assert Evidence(ATTACKERS, inside, []).weaknesses() == []
    outside = rates(original=0.05, ignorant=0.40, lazy_informed=0.445, semi_informed=0.1)
    (found,) = Evidence(ATTACKERS, outside, []).weaknesses()
    assert found[:4] == ("lazy_informed", "b2", "synth_test", "f")
    assert "44.5 % lies above the 40.0 % of the ignorant attacker" in found.reason


def test_seeds_are_averaged_and_doubled_rows_count_once():
    rows = pd.concat([GOOD, GOOD, rates(seed="1", original=0.07)])
    rate = Evidence(ATTACKERS, rows, []).rates["original", "orig", "synth_test", "f"]
    assert (rate.value, rate.seeds) == (pytest.approx(0.06), 2)
    assert rate.spread == pytest.approx(0.02 / 2**0.5)


def test_the_card_shows_models_rates_and_warnings():
    config = CATALOGUE.card_config("demo")
    curves = [({"trained_on": "b2", "seed": 0}, curve(0.3, 0.2))]
    text = report_card(config, Evidence(ATTACKERS, GOOD, curves))
    assert "- **semi-informed** (B2): training accuracy is 30 % (seed 0)." in text
    assert "| B2         | 0    | 2      | 1.250 " in text
    assert "5.00 [3.00, 7.00]" in text
    assert "| yes " in text
    calm = report_card(config, Evidence(ATTACKERS, GOOD, []))
    assert "## Warnings\n\nNone." in calm


def test_attackers_of_2020_fall_back_twice():
    folder = "config/published"
    rows = read_vpc2020(f"{folder}/vpc2020_privacy.csv", f"{folder}/vpc2020_trials.csv")
    found = Evidence(ATTACKERS, rows, []).weaknesses()
    assert {w[:4] for w in found} == {
        ("lazy_informed", "i1", "libri_dev", "m"),
        ("lazy_informed", "i1", "vctk_dev_different", "f"),
    }
