"""Which models and which speech the attackers of the legal framework need."""

import re
from pathlib import Path

import pytest

from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import ConfigurationError, load_yaml
from scripts.lib.legal.attackers import ATTACKERS

MAIN = load_yaml(Path("config/config.yaml"))
SIZES = {key: [20] for key in ["singling_out", "linkability", "one_minus_eer"]}
LEGAL = {"protocol": "crowd", "system": "b2_2024", "similar": "b2", "table_speakers": SIZES}


def study(**changes):
    entry = {"title": "t", "datasets": {}, "systems": ["orig"], "asv": "ecapa_demo"}
    return {"studies": {"x": {**entry, "legal": {**LEGAL, **changes}}}}


def test_attackers_differ_in_what_they_trained_on():
    conditions = {
        name: tuple(attacker.condition("new", "old").values())[1:]
        for name, attacker in ATTACKERS.items()
    }
    assert conditions == {
        "original": ("orig", "orig"),
        "ignorant": ("orig", "new"),
        "semi_informed": ("old", "new"),
        "informed": ("new", "new"),
    }


def test_names_of_the_challenges_are_shifted_by_one():
    assert {name: attacker.challenge for name, attacker in ATTACKERS.items()} == {
        "original": "original",
        "ignorant": "lazy-informed",
        "semi_informed": "none",
        "informed": "semi-informed",
    }


def test_each_attacker_has_its_two_files():
    files = Catalogue("config", {**MAIN, **study()}).legal_plan("x").metric_files()
    base = "<results>/metrics/legal/crowd/ecapa_demo"
    assert len(files) == 8
    assert f"{base}/b2/0/b2_2024/singling_out.tsv" in files
    assert f"{base}/orig/0/orig/linkability.tsv" in files


def test_a_study_that_asks_by_name_only_leaves_them_out():
    targets = Catalogue("config", {**MAIN, **study()}).targets("x")
    assert targets == [
        "<results>/x/figures/legal_figure_1.pdf",
        "<results>/x/tables/legal_table_1.tex",
    ]
    assert Catalogue("config", {**MAIN, **study(only_by_name=True)}).targets("x") == []


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (study(protocol="gone"), "study x, legal.protocol: no legal entry 'gone'"),
        (study(similar="b99"), "study x, legal.similar: no systems entry 'b99'"),
        (study(similar="b2_2024"), "legal.system and legal.similar are two systems"),
        (study(system="orig"), "neither of them orig"),
        (
            {"legal": {"x": {"set_a": {"gone": ["set_a"]}, "set_b": {"synth_crowd": ["set_b"]}}}},
            "legal x: no datasets entry 'gone'",
        ),
        ({"legal": {"x": {"set_a": {"synth_crowd": ["set_a"]}}}}, "lacks the key 'set_b'"),
        ({"legal": {"x": {"set_a": {}, "set_b": {}}}}, "legal.x: set_a"),
    ],
)
def test_mistakes_are_named(extra, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        Catalogue("config", {**MAIN, **extra})


def test_the_published_study_has_no_protocol():
    plan = Catalogue("config", MAIN).legal_plan("published")
    assert plan.metric_files() == ["<results>/metrics/published/legal.tsv"]


def test_a_study_without_legal_evaluation_says_so():
    with pytest.raises(ConfigurationError, match="study digits: needs the key 'legal'"):
        Catalogue("config", MAIN).legal_plan("digits")
