"""A probe finds what is there, finds nothing where nothing is, and never hears what it names."""

import numpy as np
import pandas as pd
import pytest

from scripts.lib.speaker_probe import probe_speakers, training_half


def make_utterances(speakers: int = 10, each: int = 8) -> pd.DataFrame:
    rows = [(f"s{s}-u{u}", f"s{s}") for s in range(speakers) for u in range(each)]
    return pd.DataFrame(rows, columns=["utterance", "speaker"])


def make_vectors(utterances: pd.DataFrame, spread: float) -> dict[str, np.ndarray]:
    """Vectors around a place of their speaker; with a wide spread, around nothing."""
    rng = np.random.default_rng(0)
    places = {speaker: rng.normal(size=6) for speaker in utterances["speaker"].unique()}
    return {
        row.utterance: places[row.speaker] + spread * rng.normal(size=6)
        for row in utterances.itertuples()
    }


def test_voices_that_lie_apart_are_all_named():
    utterances = make_utterances()
    found = probe_speakers(make_vectors(utterances, 0.01), utterances)
    assert found["accuracy"] == found["high"] == 1.0
    assert (found["n"], found["speakers"], found["chance"]) == (40, 10, 0.1)
    # Clopper-Pearson of 40 out of 40: the 2.5 % quantile is 0.025 ** (1 / 40).
    assert found["low"] == pytest.approx(0.025 ** (1 / 40))


def test_noise_is_named_by_chance():
    utterances = make_utterances(speakers=10, each=40)
    found = probe_speakers(make_vectors(utterances, 1e6), utterances)
    assert found["low"] <= found["chance"] <= found["high"]


def test_half_of_each_speaker_s_utterances_are_learned_whatever_their_order():
    utterances = make_utterances(speakers=3, each=5)
    learned = training_half(utterances)
    assert utterances[learned].groupby("speaker").size().tolist() == [2, 2, 2]
    turned = utterances.iloc[::-1]
    again = set(turned["utterance"][training_half(turned)])
    assert again == set(utterances["utterance"][learned])


def test_a_speaker_of_one_utterance_is_named():
    with pytest.raises(ValueError, match="speaker s0 has one utterance"):
        training_half(make_utterances(speakers=2, each=1))


def test_one_speaker_is_not_enough():
    utterances = make_utterances(speakers=1)
    with pytest.raises(ValueError, match="s0 is the only one"):
        probe_speakers(make_vectors(utterances, 1.0), utterances)
