import numpy as np
import pytest

from scripts.lib.systems.pitch import track_pitch
from scripts.lib.systems.psola import place_marks, resynthesise
from tests.unit.systems.neutral_voice import neutral_voice


def same(spectra):
    return spectra


def change(samples, pitch_factor=1.0, duration_factor=1.0, reshape=same):
    marks, voiced = place_marks(samples, track_pitch(samples), 16000)
    return resynthesise(
        samples,
        marks,
        voiced,
        pitch_factor=pitch_factor,
        duration_factor=duration_factor,
        reshape=reshape,
    )


def test_no_change_gives_the_input_back():
    voice = neutral_voice(seconds=1.5).astype(float)
    assert change(voice) == pytest.approx(voice, abs=1e-12)


@pytest.mark.parametrize("length", [1, 2, 50, 129, 1000])
def test_short_input_survives(length):
    noise = np.random.default_rng(0).normal(size=length)
    assert change(noise) == pytest.approx(noise, abs=1e-12)
    assert len(change(noise, 1.5, 1.5)) == round(1.5 * length)


@pytest.mark.parametrize("factor", [0.67, 0.8, 1.25, 1.5])
def test_pitch_changes_and_duration_does_not(factor):
    voice = neutral_voice(pitch_hz=140.0).astype(float)
    before, after = track_pitch(voice), track_pitch(change(voice, pitch_factor=factor))
    assert len(before) == len(after)
    assert np.median(after[after > 0]) == pytest.approx(
        factor * np.median(before[before > 0]), rel=0.02
    )


@pytest.mark.parametrize("factor", [0.67, 0.8, 1.25, 1.5])
def test_duration_changes_and_pitch_does_not(factor):
    voice = neutral_voice().astype(float)
    slowed = change(voice, duration_factor=factor)
    assert len(slowed) == round(factor * len(voice))
    before, after = track_pitch(voice), track_pitch(slowed)
    assert np.median(after[after > 0]) == pytest.approx(np.median(before[before > 0]), rel=0.02)


def test_marks_stand_one_period_apart():
    voice = neutral_voice(seconds=1.0, pause=False).astype(float)
    marks, voiced = place_marks(voice, track_pitch(voice), 16000)
    assert (marks[0], marks[-1]) == (0, 15999)
    periods = np.diff(marks)[voiced[:-1] & voiced[1:]]
    assert len(periods) > 90
    assert periods == pytest.approx(16000 / 120, rel=0.07)


def test_unvoiced_marks_stand_eight_milliseconds_apart():
    marks, voiced = place_marks(np.zeros(12800), np.zeros(81), 16000)
    assert not voiced.any()
    assert np.diff(marks) == pytest.approx(128, abs=1)


def test_marks_are_strictly_increasing_on_rough_contours():
    rng = np.random.default_rng(1)
    contour = np.where(rng.random(101) < 0.7, rng.uniform(75, 600, 101), 0.0)
    marks, voiced = place_marks(rng.normal(size=16000), contour, 16000)
    assert (np.diff(marks) > 0).all()
    assert len(marks) == len(voiced)
    assert np.isfinite(change(rng.normal(size=16000), 1.3, 0.8)).all()


def test_reshape_sees_spectra_centred_on_the_marks():
    # A gain on the spectrum is a gain on the signal.
    voice = neutral_voice(seconds=1.0).astype(float)
    assert change(voice, reshape=lambda spectra: 2.0 * spectra) == pytest.approx(
        2.0 * voice, abs=1e-12
    )
