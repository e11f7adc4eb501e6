"""How an emotional change acts on a voice."""

from dataclasses import fields

import numpy as np
import pytest

from scripts.lib.synthesis.emotions import Prosody, express, typical, vary
from scripts.lib.synthesis.voices import Speaker

NAMES = [field.name for field in fields(Prosody)]
CALM = Speaker("s1", "f", "en", 160.0, 200.0, 1.5, (), (170.0, 130.0, 100.0), 2.0, 4.0, 1.0)
NOTHING = dict.fromkeys(NAMES, 0.0)


def test_no_change_leaves_the_speaker_alone():
    assert express(CALM, Prosody(**NOTHING)) == CALM


@pytest.mark.parametrize(
    ("change", "trait", "expected"),
    [
        ({"rate_percent": -25.0}, "rate_wpm", 120.0),
        ({"pitch_semitones": -12.0}, "pitch_hz", 100.0),
        ({"span_percent": 100.0}, "pitch_span", 2.25),
        ({"span_percent": -50.0}, "pitch_span", 1.5**0.5),
        ({"tone_percent": 40.0}, "tone", (170.0, 156.0, 140.0)),
        ({"roughness": 3.0}, "roughness", 4.0),
    ],
)
def test_a_change_acts_on_its_trait_only(change, trait, expected):
    changed = express(CALM, Prosody(**{**NOTHING, **change}))
    assert getattr(changed, trait) == pytest.approx(expected)
    others = [f.name for f in fields(Speaker) if f.name != trait]
    assert all(getattr(changed, name) == getattr(CALM, name) for name in others)


def test_changes_stop_where_espeak_does():
    extreme = express(CALM, Prosody(**{**NOTHING, "tone_percent": 900.0, "roughness": -9.0}))
    assert extreme.tone == (170.0, 255.0, 255.0)
    assert extreme.roughness == 0.0


def test_expressiveness_scales_every_change():
    change = {name: float(place) for place, name in enumerate(NAMES)}
    assert typical(change, 0.5) == Prosody(**{name: change[name] / 2 for name in NAMES})


def test_deviates_have_the_standard_deviation_asked_for():
    sd = {name: 1.0 + place for place, name in enumerate(NAMES)}
    drawn = [vary(Prosody(**NOTHING), sd, np.random.default_rng(s)) for s in range(2000)]
    for name in NAMES:
        assert np.std([getattr(p, name) for p in drawn]) == pytest.approx(sd[name], rel=0.08)
