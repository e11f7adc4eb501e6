import random

import pandas as pd
import pytest

from scripts.lib.pseudovoices import pseudo_voices
from scripts.lib.systems.mcadams import draw

UNIFORM = {"alpha": {"uniform": [0.5, 0.9]}}
DATASET = {"name": "d", "subsets": ["enrol", "trials_f"]}


def make_table(subset="enrol", utterances=6) -> pd.DataFrame:
    names = [f"s{number % 3}-u{number}" for number in range(utterances)]
    table = pd.DataFrame({"utterance": sorted(names), "subset": subset})
    return table.assign(speaker=table["utterance"].str[:2])


def voices(table, dataset=DATASET, **system):
    entry = {
        "name": "b2",
        "level": "speaker",
        "training_level": "utterance",
        "seeding": "hashed",
        "seed": 0,
        "params": UNIFORM,
        **system,
    }
    return {
        key: voice["alpha"] for key, voice in pseudo_voices(table, entry, dataset, draw).items()
    }


def test_a_speaker_has_one_voice_per_subset():
    enrol = voices(make_table("enrol"))
    trials = voices(make_table("trials_f"))
    assert enrol["s0-u0"] == enrol["s0-u3"] != enrol["s1-u1"]
    assert enrol["s0-u0"] != trials["s0-u0"]


def test_levels_share_what_they_say():
    both = pd.concat(
        [
            make_table("enrol"),
            make_table("trials_f").assign(utterance=lambda t: t["utterance"] + "t"),
        ]
    )
    assert len(set(voices(both, level="utterance").values())) == 12
    assert len(set(voices(both, level="speaker").values())) == 6
    assert len(set(voices(both, level="global_speaker").values())) == 3
    assert len(set(voices(both, level="constant").values())) == 1


def test_training_data_has_its_own_level():
    assert len(set(voices(make_table("train")).values())) == 6
    assert len(set(voices(make_table("train"), training_level="speaker").values())) == 3


def test_order_and_company_do_not_matter():
    table = make_table()
    everything = voices(table)
    assert voices(table.iloc[::-1]) == everything
    assert voices(table[table["speaker"] == "s1"]) == {
        name: everything[name] for name in ("s1-u1", "s1-u4")
    }


def test_seed_system_and_dataset_change_the_draw():
    table = make_table()
    drawn = [
        voices(table)["s0-u0"],
        voices(table, seed=1)["s0-u0"],
        voices(table, name="other")["s0-u0"],
        voices(table, {**DATASET, "name": "e"})["s0-u0"],
    ]
    assert len(set(drawn)) == 4


def test_vpc2024_order_gives_the_published_coefficients():
    drawn = list(voices(make_table(), level="utterance", seeding="vpc2024_order").values())
    expected = [0.6875880726, 0.5674710284, 0.7592414130, 0.8749947181, 0.6147263879, 0.6692523630]
    assert drawn == pytest.approx(expected, abs=1e-10)


def test_vpc2024_speaker_mode_gives_the_published_coefficient():
    table = make_table().assign(speaker="1272")
    drawn = voices(table, seeding="vpc2024_order")
    assert list(drawn.values()) == pytest.approx([0.7757443612] * 6, abs=1e-10)


def test_vpc2020_order_counts_sets_and_seeds_with_text():
    dataset = {**DATASET, "first_seed": 6}
    drawn = voices(make_table("trials_f"), dataset, seeding="vpc2020_order")
    generator = random.Random("7")
    assert drawn["s0-u0"] == generator.uniform(0.5, 0.9)
    assert drawn["s1-u1"] == generator.uniform(0.5, 0.9)


def test_vpc2020_order_needs_its_counter():
    with pytest.raises(ValueError, match=r"vpc2020_order needs the key first_seed in dataset d"):
        voices(make_table(), seeding="vpc2020_order")
