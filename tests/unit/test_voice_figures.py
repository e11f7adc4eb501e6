"""Figures of chosen voices, on voices whose figures are known."""

import numpy as np
import pandas as pd
import pytest

from scripts.lib import voice_figures
from scripts.lib.voice_figures import network_figures, privacy_excess, probe_gender, spread_figures
from scripts.lib.voice_table import VoiceTable
from scripts.lib.voices.exponential import probabilities
from tests.unit.voices.pools import Voices

VOICES = Voices(dim=32, decay=4)


def manifest(speakers=("f1", "f2", "f3", "m1", "m2", "m3"), count=2):
    rows = [
        (f"{name}-{subset}{n}", name, name[0], subset)
        for name in speakers
        for subset in ("enrol", "trials")
        for n in range(count)
    ]
    return pd.DataFrame(rows, columns=["utterance", "speaker", "gender", "subset"])


def measured(rows):
    return {(each["quantity"], each["gender"]): each["value"] for each in rows}


def test_voices_that_are_their_speakers_have_cosine_one_and_the_pools_distribution():
    utterances = manifest()
    genders = np.array(["f", "m"] * 100)
    pool = pd.DataFrame({"gender": genders})
    means = VOICES.speakers(genders)
    by_speaker = dict(
        zip(utterances["speaker"].unique(), VOICES.speakers("fffmmm", 3), strict=True)
    )
    source = np.stack([by_speaker[name] for name in utterances["speaker"]])
    table = VoiceTable(list(utterances["utterance"]), source, source, [()] * len(source))
    found = measured(spread_figures(table, utterances, pool, means, "global_speaker"))
    assert found["voices", ""] == found["distinct", ""] == 6
    for gender in "fm":
        assert found["source_cosine", gender] == pytest.approx(1)
        assert found["pool_cosine", gender] == pytest.approx(0.64, abs=0.05)
        assert found["ks", gender] < 0.8
    # The same voice in enrolment and trials.
    assert found["linked_cosine", ""] == pytest.approx(1)
    by_subset = measured(spread_figures(table, utterances, pool, means, "speaker"))
    assert by_subset["voices", ""] == 12
    assert by_subset["distinct", ""] == 6


def test_collapsed_voices_are_far_from_the_pools_distribution():
    utterances = manifest()
    means = VOICES.speakers(["f", "m"] * 100)
    pool = pd.DataFrame({"gender": ["f", "m"] * 100})
    rng = np.random.default_rng(0)
    pseudo = 1 + 0.01 * rng.normal(size=(24, 32))
    table = VoiceTable(list(utterances["utterance"]), pseudo, pseudo, [()] * 24)
    found = measured(spread_figures(table, utterances, pool, means, "utterance"))
    assert found["voices", ""] == 24
    assert found["ks", "f"] == pytest.approx(1)
    assert found["voice_cosine", "f"] > 0.99


def test_the_exponential_mechanism_keeps_its_bound_and_twice_the_weights_do_not(monkeypatch):
    genders = ["f", "m"] * 10
    means = VOICES.speakers(genders)
    for kind in ("any", "same"):
        assert privacy_excess(means, genders, {"epsilon": 20.0, "gender": kind}) <= 1e-9

    def louder(vector, candidates, epsilon):
        return probabilities(vector, candidates, 2 * epsilon)

    monkeypatch.setattr(voice_figures, "probabilities", louder)
    assert privacy_excess(means, genders, {"epsilon": 20.0, "gender": "any"}) > 0.1


def test_probes_find_speakers_before_and_not_after_a_network_that_forgets():
    names = [f"{gender}{n}" for n in range(10) for gender in "fm"]
    utterances = manifest(names, count=5)
    said = VOICES.utterances(VOICES.speakers([name[0] for name in names]), 10)
    vectors = dict(zip(utterances["utterance"], said.reshape(-1, 32), strict=True))
    rng = np.random.default_rng(0)
    keep = [(np.vstack([np.eye(32), -np.eye(32)]), np.zeros(64))]
    keep += [(np.hstack([np.eye(32), -np.eye(32)]), np.zeros(32))]
    found = measured(network_figures(keep + keep, utterances, vectors))
    assert found["rebuilt_cosine", ""] == pytest.approx(1)
    assert found["spread", ""] == pytest.approx(1)
    assert found["speaker_before", ""] == found["speaker_after", ""] > 0.95
    assert found["speaker_chance", ""] == pytest.approx(1 / 20)
    assert found["gender_before", ""] > 0.9
    forget = [(0 * weight, rng.normal(size=len(weight))) for weight, _ in keep + keep]
    found = measured(network_figures(forget, utterances, vectors))
    assert found["spread", ""] == pytest.approx(0, abs=1e-12)
    assert found["speaker_after", ""] <= 0.1
    assert found["gender_after", ""] <= 0.75


def test_a_gender_probe_judges_speakers_it_has_not_learned_from():
    names = [f"{gender}{n}" for n in range(8) for gender in "fm"]
    utterances = manifest(names, count=2)
    rng = np.random.default_rng(1)
    # Whoever knows the speaker knows the gender, but no direction is common to a gender.
    of_speaker = {name: rng.normal(size=60) for name in names}
    points = np.stack([of_speaker[name] for name in utterances["speaker"]])
    assert probe_gender(points, utterances) < 0.8
    marked = points + 5 * (utterances["gender"] == "f").to_numpy()[:, None]
    assert probe_gender(marked, utterances) > 0.9
