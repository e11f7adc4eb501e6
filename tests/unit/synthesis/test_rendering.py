"""Speech that does not depend on its neighbours, and recordings with the level asked for."""

import tempfile

import numpy as np
import pytest

from scripts.lib.synthesis.rendering import (
    ESPEAK_RATE_HZ,
    HIGHEST_PEAK,
    Conditions,
    Sentence,
    record,
    speak,
)

# Breath, flutter and roughness are what espeak-ng draws random numbers for.
HUSKY = "language variant\nname a\npitch 150 220\nflutter 20\nroughness 3\nbreath 0 9 9 9 9 9 9 9\n"
CLEAR = "language variant\nname b\npitch 90 120\nformant 1 95 100 100\n"
SENTENCES = [
    Sentence("the green teacher carried seven baskets", HUSKY, "en-us", 170, seed=1),
    Sentence("never again", CLEAR, "en-gb-scotland", 200, seed=2),
    Sentence("the market on sunday", HUSKY, "en", 150, seed=3),
]


@pytest.fixture
def tone():
    return np.sin(2 * np.pi * 440 * np.arange(ESPEAK_RATE_HZ) / ESPEAK_RATE_HZ).astype(np.float32)


def rms_db(samples):
    return 10 * np.log10(np.mean(samples**2))


def test_a_sentence_does_not_depend_on_what_was_said_before():
    together = speak(SENTENCES)
    backwards = speak(SENTENCES[::-1])[::-1]
    for sentence, one, two in zip(SENTENCES, together, backwards, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, speak([sentence])[0])


def test_the_seed_changes_the_breath():
    first, second = SENTENCES[0], Sentence("the green teacher carried seven baskets", HUSKY,
                                           "en-us", 170, seed=9)  # fmt: skip
    one, two = speak([first, second])
    assert len(one) != len(two) or not np.array_equal(one, two)


def test_a_faster_rate_is_shorter():
    slow, fast = speak([Sentence("never again tonight", CLEAR, "en", wpm, 1) for wpm in (120, 240)])
    assert 1.5 < len(slow) / len(fast) < 2.5


def test_the_data_folder_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    speak(SENTENCES[:1])
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_accent_is_named():
    with pytest.raises(RuntimeError, match="no accent 'en-moon'"):
        speak([Sentence("hello", CLEAR, "en-moon", 170, 1)])


def test_a_temporary_folder_that_is_too_deep_is_named(tmp_path, monkeypatch):
    deep = tmp_path / ("x" * 150)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    with pytest.raises(ValueError, match="TMPDIR"):
        speak(SENTENCES[:1])


def test_level_and_noise_are_as_asked(tone):
    rng = np.random.default_rng(0)
    silent = record(tone, Conditions(-26.0, 300.0, 0.5), rng, ESPEAK_RATE_HZ)
    noisy = record(tone, Conditions(-26.0, 20.0, 0.5), rng, ESPEAK_RATE_HZ)
    assert len(silent) == 16_000
    assert rms_db(silent) == pytest.approx(-26.0, abs=0.01)
    assert rms_db(noisy - silent) == pytest.approx(-46.0, abs=0.01)


def test_the_pole_colours_the_noise(tone):
    clean = record(tone, Conditions(-26.0, 300.0, 0.0), np.random.default_rng(0), ESPEAK_RATE_HZ)

    def share_below_1_khz(pole):
        rng = np.random.default_rng(0)
        noise = record(tone, Conditions(-26.0, 20.0, pole), rng, ESPEAK_RATE_HZ) - clean
        power = np.abs(np.fft.rfft(noise)) ** 2
        return power[:1000].sum() / power.sum()

    # White noise has an eighth of its power in the lowest of 8 kHz.
    assert share_below_1_khz(0.0) == pytest.approx(1 / 8, abs=0.02)
    assert share_below_1_khz(0.9) > 0.7


def test_a_loud_recording_is_turned_down_not_clipped(tone):
    loud = record(tone, Conditions(0.0, 60.0, 0.0), np.random.default_rng(0), ESPEAK_RATE_HZ)
    assert np.abs(loud).max() == pytest.approx(HIGHEST_PEAK)
    assert np.mean(np.abs(loud) > 0.999 * HIGHEST_PEAK) < 0.05
