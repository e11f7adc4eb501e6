"""Emotional prosody: how a speaker's voice changes with sadness, anger and happiness.

Each class has a typical change of rate, pitch, pitch span, level, tone and roughness. Speakers
follow it more or less strongly and each in their own way, and so does each utterance, which makes
the classes overlap.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from scripts.lib.synthesis.voices import Speaker

# What espeak-ng can render; a change that leads beyond stops there.
SPAN = (1.05, 2.5)
TONE = (20.0, 255.0)
ROUGHNESS = (0.0, 7.0)


@dataclass(frozen=True)
class Prosody:
    """Change of a voice.

    Parameters
    ----------
    rate_percent
        Change of the speaking rate.
    pitch_semitones
        Change of the pitch.
    span_percent
        Change of the pitch range, measured in semitones.
    level_db
        Change of the level.
    tone_percent
        Change of the amplitude at the highest tone frequency; half of it at the middle one.
    roughness
        Change of the roughness.
    """

    rate_percent: float
    pitch_semitones: float
    span_percent: float
    level_db: float
    tone_percent: float
    roughness: float


def typical(change: Mapping[str, float], factor: float = 1.0) -> Prosody:
    """Return a class's typical change, followed by a factor.

    Examples
    --------
    >>> change = dict.fromkeys((field.name for field in fields(Prosody)), 2.0)
    >>> typical(change, factor=0.5).level_db
    1.0
    """
    return Prosody(**{field.name: factor * change[field.name] for field in fields(Prosody)})


def vary(prosody: Prosody, sd: Mapping[str, float], rng: np.random.Generator) -> Prosody:
    """Add a normal deviate to every change.

    Parameters
    ----------
    prosody
        The mean.
    sd
        Standard deviation of each change.
    rng
        Generator of what varies, a speaker's class or an utterance.
    """
    names = [field.name for field in fields(Prosody)]
    deviates = rng.standard_normal(len(names))
    return Prosody(
        **{
            name: getattr(prosody, name) + sd[name] * float(deviate)
            for name, deviate in zip(names, deviates, strict=True)
        }
    )


def express(speaker: Speaker, prosody: Prosody) -> Speaker:
    """Return the speaker in another state; the level is left to the recording.

    Examples
    --------
    >>> calm = Speaker("s1", "f", "en-us", 160, 200, 1.5, (), (170, 130, 100), 2, 4, 1)
    >>> happy = express(calm, Prosody(10, 12, 100, 3, 20, 0))
    >>> round(happy.rate_wpm), round(happy.pitch_hz), round(happy.pitch_span, 2)
    (176, 400, 2.25)
    >>> [round(level) for level in happy.tone]
    [170, 143, 120]
    """
    low, middle, high = speaker.tone
    return replace(
        speaker,
        rate_wpm=speaker.rate_wpm * (1 + prosody.rate_percent / 100),
        pitch_hz=speaker.pitch_hz * 2 ** (prosody.pitch_semitones / 12),
        pitch_span=_within(SPAN, speaker.pitch_span ** (1 + prosody.span_percent / 100)),
        tone=(
            low,
            _within(TONE, middle * (1 + prosody.tone_percent / 200)),
            _within(TONE, high * (1 + prosody.tone_percent / 100)),
        ),
        roughness=_within(ROUGHNESS, speaker.roughness + prosody.roughness),
    )


def _within(limits: tuple[float, float], value: float) -> float:
    return min(max(value, limits[0]), limits[1])
