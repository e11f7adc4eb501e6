"""Which parts a chain system uses on a dataset, and what is refused."""

from copy import deepcopy

import pytest

from scripts.lib.chains import (
    chain_of,
    check_chains,
    check_kits,
    training_data_of,
    used_by_chains,
    voice_steps,
)
from scripts.lib.configuration import ConfigurationError, checked, load_yaml

POOL_STEP = {
    "step": "pool",
    "affinity": "plda",
    "proximity": "far",
    "n": 0.33,
    "n_star": 0.167,
    "gender": "same",
}
DRIVEN = {
    "backend": "film",
    "content": "tdnnf",
    "pitch": "yaapt",
    "vectors": "mine",
    "training_data": ["chain"],
}
ENTRIES = {
    "systems": {
        "b1": {"method": "chain", "params": {"chain": "tdnnf", "voice": [POOL_STEP]}},
        "s1": {
            "method": "chain",
            "params": {"chain": "tdnnf", "voice": [{"step": "autoencoder", "autoencoder": "s1"}]},
        },
        "k2": {"method": "chain", "params": {"chain": "fbank", "voice": [{"step": "identity"}]}},
        "b2": {"method": "mcadams", "params": {}},
    },
    "datasets": {"test": {"kit": "small"}, "train": {"kit": "small"}, "other": {}, "pool": {}},
    "kits": {
        "small": {
            "pool": "pool",
            "candidates": {"n": 200, "n_star": 100, "clusters": 20},
            "chains": {
                "tdnnf": {"acoustic": "film", "vocoder": "filter"},
                "fbank": {"acoustic": "plain", "vocoder": "griffin"},
                "joint": {"acoustic": "joint"},
            },
            "autoencoders": {"s1": "adversarial"},
        }
    },
    "content": {"tdnnf": {"training_data": ["chain"]}, "fbank": {}},
    "pitch": {"yaapt": {}, "nccf": {}},
    "asv": {"mine": {"training_data": ["chain"]}, "theirs": {"training_data": ["train"]}},
    "asr": {"ctc": {"training_data": ["train"]}},
    "acoustic": {
        "film": DRIVEN,
        "plain": {key: DRIVEN[key] for key in DRIVEN if key != "pitch"} | {"content": "fbank"},
        "joint": DRIVEN | {"backend": "joint_nsf"},
    },
    "vocoder": {"filter": {"pitch": "yaapt", "training_data": ["chain"]}, "griffin": {}},
    "autoencoder": {"adversarial": {"vectors": "mine", "training_data": ["chain"]}},
    "studies": {
        "mini": {
            "systems": ["b1", "b2"],
            "datasets": {"test": ["test"]},
            "asv": "theirs",
            "contenders": [],
            "asr": "ctc",
            "shared_speakers": False,
        }
    },
}  # fmt: skip


def require(name, kind, origin):
    if name not in ENTRIES[kind]:
        raise ConfigurationError(f"{origin}: no {kind} entry {name!r}")


@pytest.fixture
def entries():
    return deepcopy(ENTRIES)


def test_a_system_takes_its_parts_from_the_kit_of_the_dataset(entries):
    chain = chain_of("b1", "test", entries)
    assert (chain.content, chain.pitch, chain.vectors) == ("tdnnf", "yaapt", "mine")
    assert (chain.acoustic, chain.vocoder, chain.pool) == ("film", "filter", "pool")
    assert chain.autoencoders == {}
    assert chain_of("s1", "test", entries).entries()["autoencoder"] == ["adversarial"]
    entries["systems"]["b1"]["params"]["chain"] = "joint"
    assert chain_of("b1", "test", entries).vocoder == ""


def test_the_kit_says_how_many_speakers_are_averaged_where_the_system_does_not(entries):
    assert voice_steps("b1", "test", entries) == [POOL_STEP]
    open_step = {key: POOL_STEP[key] for key in ("step", "affinity", "proximity", "gender")}
    entries["systems"]["b1"]["params"]["voice"] = [open_step]
    assert voice_steps("b1", "test", entries) == [{**open_step, "n": 200, "n_star": 100}]
    assert voice_steps("s1", "test", entries) == [{"step": "autoencoder", "autoencoder": "s1"}]
    entries["systems"]["b1"]["params"]["voice"] = [{"step": "regress"}, {"step": "svd"}]
    assert [step["clusters"] for step in voice_steps("b1", "test", entries)] == [20, 20]


def test_a_chain_may_do_without_pitch(entries):
    chain = chain_of("k2", "test", entries)
    assert chain.pitch == ""
    assert chain.entries()["pitch"] == []


def test_a_dataset_without_kit_is_refused_with_what_to_do(entries):
    with pytest.raises(ConfigurationError, match="dataset other: the chain system b1 needs"):
        chain_of("b1", "other", entries)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"chain": "e2e"}, "kit small has no chain 'e2e'; known: tdnnf, fbank, joint"),
        ({"voice": [{"step": "autoencoder", "autoencoder": "s9"}]}, "no autoencoder 's9'"),
    ],
)
def test_what_a_kit_lacks_is_named(entries, params, message):
    entries["systems"]["b1"]["params"] |= params
    with pytest.raises(ConfigurationError, match=message):
        chain_of("b1", "test", entries)


def test_an_autoencoder_of_other_vectors_is_refused(entries):
    entries["autoencoder"]["adversarial"]["vectors"] = "theirs"
    with pytest.raises(ConfigurationError, match="changes vectors of theirs, but film speaks with"):
        chain_of("s1", "test", entries)


def test_kits_of_unknown_parts_are_refused(entries):
    check_kits(entries, require)
    for path, name, message in (
        (("datasets", "test", "kit"), "large", "dataset test, kit: no kits entry 'large'"),
        (("kits", "small", "pool"), "none", "kit small, pool: no datasets entry"),
        (("acoustic", "film", "content"), "none", "acoustic film, content: no content entry"),
        (("acoustic", "film", "vectors"), "none", "acoustic film, vectors: no asv entry"),
        (("vocoder", "filter", "predicted_by"), "none", "vocoder filter, predicted_by: no acoust"),
        (("kits", "small", "chains", "tdnnf", "vocoder"), "none", "chains.tdnnf, vocoder: no voc"),
        (("kits", "small", "autoencoders", "s1"), "none", "autoencoders.s1: no autoencoder entry"),
    ):
        broken = deepcopy(entries)
        place = broken
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = name
        with pytest.raises(ConfigurationError, match=message):
            check_kits(broken, require)


def test_parts_that_do_not_go_together_are_refused(entries):
    entries["vocoder"]["filter"]["pitch"] = "nccf"
    with pytest.raises(ConfigurationError, match="filter has the pitch nccf, but film has yaapt"):
        check_kits(entries, require)
    entries["vocoder"]["filter"] |= {"pitch": "yaapt", "predicted_by": "joint"}
    with pytest.raises(ConfigurationError, match="trained on the output of joint, not of film"):
        check_kits(entries, require)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"acoustic": "film"}, "film makes log-mel, so it needs a vocoder"),
        ({"acoustic": "joint", "vocoder": "filter"}, "joint makes waveforms, so it needs no"),
    ],
)
def test_log_mel_needs_a_vocoder_and_a_waveform_none(entries, parts, message):
    entries["kits"]["small"]["chains"]["tdnnf"] = parts
    with pytest.raises(ConfigurationError, match=f"chains.tdnnf: {message}"):
        check_kits(entries, require)


def test_the_attacker_may_not_be_what_chooses_the_voices(entries):
    check_chains("mini", entries)
    entries["studies"]["mini"]["contenders"] = ["mine"]
    entries["asv"]["mine"]["training_data"] = ["train"]
    with pytest.raises(ConfigurationError, match="mine chooses the voices of b1 and cannot judge"):
        check_chains("mini", entries)


def test_shared_training_speakers_are_refused_unless_told(entries):
    entries["content"]["tdnnf"]["training_data"] = ["train"]
    with pytest.raises(ConfigurationError, match="content tdnnf of b1 and asr ctc are both"):
        check_chains("mini", entries)
    entries["studies"]["mini"]["shared_speakers"] = True
    check_chains("mini", entries)
    entries["content"]["tdnnf"]["training_data"] = ["test"]
    with pytest.raises(ConfigurationError, match="content tdnnf of b1 has heard test, on which"):
        check_chains("mini", entries)


def test_a_study_is_recorded_with_the_parts_of_its_chains_and_what_they_heard(entries):
    used = used_by_chains(["b1", "b2"], ["test", "train"], entries)
    assert set(used["kits"]) == {"small"}
    assert set(used["acoustic"]) == {"film"}
    assert set(used["asv"]) == {"mine"}
    assert set(used["datasets"]) == {"pool", "chain"}
    assert used_by_chains(["b2"], ["other"], entries) == {}


def test_a_pool_of_the_attackers_speakers_is_refused(entries):
    entries["kits"]["small"]["pool"] = "train"
    with pytest.raises(ConfigurationError, match="its pool of b1 and asr ctc are both trained on"):
        check_chains("mini", entries)


SCHEMA = load_yaml("config/schemas/systems.schema.yaml")


def test_settings_of_a_chain_have_defaults():
    entry = {"method": "chain", "params": {"chain": "tdnnf", "voice": [POOL_STEP]}}
    params = checked(entry, SCHEMA, "b1")["params"]
    assert params["f0"] == {"transform": "keep"}
    assert params["route"] == {"acoustic": "anon", "vocoder": "anon"}


@pytest.mark.parametrize(
    "step",
    [
        {"step": "unknown"},
        {**POOL_STEP, "typo": 1},
        {**POOL_STEP, "n": 1.5},
        {"step": "autoencoder"},
        {"step": "exponential", "epsilon": 0, "gender": "any"},
        {"step": "svd", "mode": "pool_basis", "scale": 0.5, "kept": 0.9},
        {"step": "regress", "affinity": "plda", "clusters": 1, "trees": 1, "components": 1},
    ],
)
def test_wrong_steps_are_refused(step):
    entry = {"method": "chain", "params": {"chain": "tdnnf", "voice": [step]}}
    with pytest.raises(ConfigurationError, match="b1"):
        checked(entry, SCHEMA, "b1")


def test_what_a_content_extractor_started_from_has_been_heard_too(entries):
    entries["content"]["first"] = {"training_data": ["other"]}
    entries["content"]["tdnnf"]["initialise_from"] = "first"
    heard = training_data_of(chain_of("b1", "test", entries), entries)
    assert heard["other"] == "content tdnnf"
    assert {"first", "tdnnf"} <= set(used_by_chains(["b1"], ["test"], entries)["content"])
