"""Drawn speakers and their voice files."""

import numpy as np
import pytest

from scripts.lib.synthesis.rendering import ESPEAK_RATE_HZ, Sentence, speak
from scripts.lib.synthesis.voices import PEAKS, Speaker, draw_speaker, voice_file

RANGES = {
    "rate_wpm": (150, 160),
    "pitch_hz": (200, 210),
    "pitch_span": (1.2, 1.3),
    "tract_percent": (100, 110),
    "formant_percent": (90, 110),
    "height_percent": (80, 90),
    "width_percent": (120, 130),
    "tone_low": (100, 110),
    "tone_middle": (120, 130),
    "tone_high": (140, 150),
    "breath": (1, 2),
    "flutter": (3, 4),
    "roughness": (0, 1),
}


def a_speaker(**changes):
    neutral = {
        "name": "s1",
        "gender": "m",
        "accent": "en-us",
        "rate_wpm": 170.0,
        "pitch_hz": 100.0,
        "pitch_span": 1.1,
        "formants": ((100.0, 100.0, 100.0),) * PEAKS,
        "tone": (170.0, 135.0, 110.0),
        "breath": 0.0,
        "flutter": 0.0,
        "roughness": 0.0,
    }
    return Speaker(**{**neutral, **changes})


def spoken(speaker):
    sentence = Sentence("the farmer and the sailor", voice_file(speaker), "en-us", 170, seed=1)
    return speak([sentence])[0]


def median_pitch_hz(samples):
    """The strongest lag of the autocorrelation of loud frames, between 60 and 400 Hz."""
    lags = slice(ESPEAK_RATE_HZ // 400, ESPEAK_RATE_HZ // 60)
    frames = np.lib.stride_tricks.sliding_window_view(samples, 1024)[::512]
    found = []
    for frame in frames[frames.std(axis=1) > 0.5 * samples.std()]:
        correlation = np.correlate(frame, frame, "full")[1023:]
        found.append(ESPEAK_RATE_HZ / (lags.start + np.argmax(correlation[lags])))
    return np.median(found)


@pytest.mark.parametrize("seed", range(5))
def test_every_value_lies_in_its_range(seed):
    drawn = draw_speaker("s1", "f", ["en", "en-us"], RANGES, np.random.default_rng(seed))
    assert drawn.accent in ("en", "en-us")
    for key in ("rate_wpm", "pitch_hz", "pitch_span", "breath", "flutter", "roughness"):
        low, high = RANGES[key]
        assert low <= getattr(drawn, key) <= high
    frequency, height, width = np.array(drawn.formants).T
    assert len(frequency) == PEAKS
    assert (frequency >= 90).all()
    assert (frequency <= 1.1 * 110).all()
    # One tract length for all formants: they differ among themselves by their own ranges only.
    assert frequency.max() / frequency.min() <= 110 / 90
    assert ((height >= 80) & (height <= 90)).all()
    assert ((width >= 120) & (width <= 130)).all()
    for level, key in zip(drawn.tone, ("tone_low", "tone_middle", "tone_high"), strict=True):
        assert RANGES[key][0] <= level <= RANGES[key][1]


def test_speakers_differ():
    names = ["en", "en-us"]
    one, two = (draw_speaker("s", "f", names, RANGES, np.random.default_rng(s)) for s in (1, 2))
    assert one.formants != two.formants
    assert one.pitch_hz != two.pitch_hz


def test_voice_file_holds_every_trait():
    lines = voice_file(
        a_speaker(gender="f", pitch_hz=180, pitch_span=1.4, breath=3, flutter=7, roughness=2)
    ).splitlines()
    # The middle of 150 and 210 is 180, and 210 / 150 is 1.4.
    assert "pitch 150 210" in lines
    assert "gender female" in lines
    assert "flutter 7" in lines
    assert "roughness 2" in lines
    assert "tone 600 170 1200 135 2400 110" in lines
    assert "breath 0 3 3 3 3 3 3 3" in lines
    assert [line for line in lines if line.startswith("formant")] == [
        f"formant {peak} 100 100 100" for peak in range(PEAKS)
    ]


def test_espeak_speaks_at_the_pitch_of_the_voice():
    low = median_pitch_hz(spoken(a_speaker(pitch_hz=100.0)))
    high = median_pitch_hz(spoken(a_speaker(pitch_hz=200.0)))
    assert low == pytest.approx(100, rel=0.1)
    assert high == pytest.approx(200, rel=0.1)


@pytest.mark.parametrize(
    "change",
    [
        {"formants": ((110.0, 100.0, 100.0),) * PEAKS},
        {"formants": ((100.0, 90.0, 100.0),) * PEAKS},
        {"formants": ((100.0, 100.0, 120.0),) * PEAKS},
        {"tone": (170.0, 135.0, 150.0)},
        {"breath": 8.0},
        {"flutter": 10.0},
        {"roughness": 2.0},
        {"pitch_span": 1.4},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_trait_is_heard(change):
    plain, changed = spoken(a_speaker()), spoken(a_speaker(**change))
    assert len(plain) != len(changed) or not np.array_equal(plain, changed)
