"""What holds for every committed system, whatever its method."""

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.lib.audio import RATE_HZ, read_audio, write_audio
from scripts.lib.catalogue import Catalogue
from scripts.lib.chains import is_chain
from scripts.lib.configuration import load_yaml
from scripts.lib.pseudovoices import pseudo_voices
from scripts.lib.systems import load_method

SYSTEMS = Catalogue("config", load_yaml("config/config.yaml"))["systems"]
# Chains speak by rules of their own and are tested with their steps and networks.
SIGNAL = [
    name
    for name, entry in SYSTEMS.items()
    if not is_chain(entry) and hasattr(load_method(entry["method"]), "process")
]
# The same methods with something to draw, so that two voices can be told apart.
DRAWING = {
    "mcadams": {"alpha": {"uniform": [0.5, 0.9]}},
    "tract_pitch_rate": SYSTEMS["i1"]["params"],
    "command": {},
    "python": {},
}


def waveform(kind: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    time = np.arange(RATE_HZ // 10) / RATE_HZ
    buzz = np.sign(np.sin(2 * np.pi * 120 * time))
    return {
        "silence": np.zeros(RATE_HZ),
        "clipped": np.clip(4 * rng.normal(size=RATE_HZ), -1.0, 1 - 2**-15),
        "0.1 s": 0.5 * buzz,
        "35 s": 0.3 * np.tile(buzz, 350) + 0.01 * rng.uniform(-1, 1, 35 * RATE_HZ),
        "constant": np.full(RATE_HZ, 0.5),
        "full-scale constant": np.full(RATE_HZ, -1.0),
    }[kind].astype(np.float32)


@pytest.mark.parametrize(
    "kind", ["silence", "clipped", "0.1 s", "35 s", "constant", "full-scale constant"]
)
@pytest.mark.parametrize("system", SIGNAL)
def test_hard_input_can_be_written_and_keeps_its_length(system, kind, tmp_path):
    entry = SYSTEMS[system]
    method = load_method(entry["method"])
    samples = waveform(kind)
    voice = method.draw(random.Random("0"), entry["params"])
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        result = method.process(samples, voice, entry["params"])
    # Refuses what is not a number and what is beyond full scale.
    write_audio(tmp_path / "result.wav", result)
    heard = read_audio(tmp_path / "result.wav")
    longest = entry["params"].get("max_rate_change", 1.0)
    assert len(samples) / longest - 1 <= len(heard) <= len(samples) * longest + 1
    assert heard.any() == samples.any()


@pytest.mark.parametrize("method", DRAWING)
@settings(max_examples=25, deadline=None)
@given(
    names=st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), min_size=2, unique=True),
    seed=st.integers(0, 2**31),
)
def test_a_pseudo_voice_depends_on_system_speaker_subset_and_seed_alone(method, names, seed):
    def voices(table, level, **changes):
        system = {
            "name": "x",
            "level": level,
            "training_level": "utterance",
            "seeding": "hashed",
            "seed": seed,
            "params": DRAWING[method],
            **changes,
        }
        dataset = {"name": "d", "subsets": ["enrol", "trials_f"]}
        return pseudo_voices(table, system, dataset, load_method(method).draw)

    rows = [
        {"utterance": f"{name}-{subset}-{number}", "speaker": name, "subset": subset}
        for name in names
        for subset in ("enrol", "trials_f")
        for number in range(2)
    ]
    table = pd.DataFrame(rows)
    one, other = names[:2]
    whole = voices(table, "speaker")
    alone = table[table["speaker"] == one].iloc[::-1]
    assert voices(alone, "speaker") == {name: whole[name] for name in alone["utterance"]}
    assert whole[f"{one}-enrol-0"] == whole[f"{one}-enrol-1"] != whole[f"{other}-enrol-0"]
    assert whole[f"{one}-enrol-0"] != whole[f"{one}-trials_f-0"]
    assert whole[f"{one}-enrol-0"] != voices(table, "speaker", seed=seed + 1)[f"{one}-enrol-0"]
    assert whole[f"{one}-enrol-0"] != voices(table, "speaker", name="y")[f"{one}-enrol-0"]
    shared = voices(table, "global_speaker")
    assert shared[f"{one}-enrol-0"] == shared[f"{one}-trials_f-1"] != shared[f"{other}-enrol-0"]
    single = voices(table, "utterance")
    assert single[f"{one}-enrol-0"] != single[f"{one}-enrol-1"]
    constant = voices(table, "constant")
    assert all(voice == constant[f"{one}-enrol-0"] for voice in constant.values())
