"""The page of leakage: which claims hold, what is said of those that fail, who is probed."""

import pandas as pd
import pytest

from scripts.lib.configuration import ConfigurationError
from scripts.lib.leakage import compare_units, leakage_report
from scripts.lib.probed import check_probes, probed_features

NAMES = {"systems": {"b1": "B1", "m1": "M1", "m1c1": "M1c1"}, "datasets": {"pool": "Pool"}}
CHAINS = [
    {
        "b1": {"content": "tdnnf", "pitch": "yaapt"},
        "m1": {"content": "e2e", "pitch": "yaapt"},
        "m1c1": {"content": "deaf", "pitch": "yaapt"},
    }
]


def make_probes(**accuracy: float) -> pd.DataFrame:
    """Rows with intervals of five points to each side; `f0` is that of the pitch."""
    rows = []
    for name, value in accuracy.items():
        stream, entry = ("pitch", "yaapt") if name == "f0" else ("content", name)
        row = {"stream": stream, "name": entry, "dataset": "pool", "speakers": 20, "n": 60}
        rows.append({**row, "accuracy": value, "low": value - 0.05, "high": value + 0.05})
    return pd.DataFrame(rows).assign(chance=0.05)


def page(curve=(0.10, 0.105), **accuracy: float) -> str:
    curves = {"deaf": pd.DataFrame({"valid_unit_error": curve})}
    probes = make_probes(fbank=1.0, f0=0.4, **accuracy)
    return leakage_report("mini", probes, CHAINS, curves, NAMES)


def test_claims_that_hold_are_said_to():
    found = page(tdnnf=0.8, e2e=0.6, deaf=0.3)
    assert "fails" not in found
    assert "less in M1 than in B1: 60.0 [55.0, 65.0] against 80.0 [75.0, 85.0]: holds." in found
    assert "10.0% before, 10.5% after (+5%): holds." in found
    assert "| content fbank | reference    | 100.0" in found
    assert "| pitch yaapt   | B1, M1, M1c1 | 40.0" in found


def test_claims_that_fail_are_flagged_and_explained():
    found = page(curve=(0.10, 0.12), tdnnf=0.5, e2e=0.6, deaf=0.62)
    assert found.count("**fails**") == 3
    assert "against 60.0 [55.0, 65.0]: **fails**, within the intervals. Why it may:" in found
    assert "i-vectors" in found


def test_a_difference_inside_the_intervals_is_said_to_be():
    found = page(tdnnf=0.8, e2e=0.6, deaf=0.58)
    assert "58.0 [53.0, 63.0] against 60.0 [55.0, 65.0]: holds, within the intervals." in found


def test_a_recogniser_without_errors_has_no_relative_rise():
    claim = compare_units({"deaf": pd.DataFrame({"valid_unit_error": [0.0, 0.01]})}, "deaf")
    assert claim.found == "0.0% before, 1.0% after"
    assert claim.verdict == "**fails**"


@pytest.fixture
def entries():
    acoustic = {
        name: {"content": content, "pitch": "yaapt", "vectors": "mine"}
        for name, content in (("slow", "tdnnf"), ("deafened", "deaf"))
    }
    systems = {
        name: {"method": "chain", "params": {"chain": name, "voice": []}} for name in ("b1", "m1c1")
    }
    study = {"systems": ["b1", "m1c1", "b2"], "datasets": {"test": ["test"]}}
    return {
        "systems": {**systems, "b2": {"method": "mcadams", "params": {}}},
        "datasets": {"test": {"kit": "small"}, "pool": {}, "chain": {}, "first": {}},
        "kits": {
            "small": {
                "pool": "pool",
                "autoencoders": {},
                "chains": {"b1": {"acoustic": "slow"}, "m1c1": {"acoustic": "deafened"}},
            }
        },
        "acoustic": acoustic,
        "vocoder": {},
        "content": {
            "fbank": {},
            "tdnnf": {"training_data": ["chain"]},
            "e2e": {"training_data": ["first"]},
            "deaf": {"training_data": ["chain"], "initialise_from": "e2e"},
        },
        "studies": {"mini": {**study, "checks": ["leakage"], "probes": []}},
    }


def require(name, kind, origin):
    """Accept every name."""


def test_what_chains_take_from_speech_is_probed_beside_speech_itself(entries):
    assert probed_features("mini", entries) == {
        "content": ["fbank", "tdnnf", "deaf"],
        "pitch": ["yaapt"],
    }
    check_probes("mini", entries, require)


@pytest.mark.parametrize("heard", ["chain", "first"])
def test_speech_of_either_stage_of_training_is_not_probed(entries, heard):
    entries["studies"]["mini"]["probes"] = [heard]
    with pytest.raises(ConfigurationError, match=f"was trained on {heard}"):
        check_probes("mini", entries, require)


def test_a_study_without_chains_has_nothing_to_probe(entries):
    entries["studies"]["mini"]["systems"] = ["b2"]
    with pytest.raises(ConfigurationError, match="needs a chain system"):
        check_probes("mini", entries, require)
