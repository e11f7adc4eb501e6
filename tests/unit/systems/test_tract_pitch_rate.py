import random

import numpy as np
import pytest
from scipy.signal import welch

from scripts.lib.systems.speaker_profile import measure_profile
from scripts.lib.systems.tract_pitch_rate import draw, process, voice_of
from tests.unit.systems.neutral_voice import neutral_voice

SOURCE = {"pitch_hz": 120.0, "tract_hz": 558.0, "syllables_per_s": 3.0}


@pytest.fixture(scope="module")
def speech():
    return neutral_voice(seconds=4.0, **SOURCE)


@pytest.fixture(scope="module")
def own(speech):
    return voice_of(speech)


def envelope_peak_hz(samples, low, high):
    hertz, power = welch(samples, 16000, nperseg=512)
    inside = (hertz >= low) & (hertz <= high)
    return np.sum(hertz[inside] * power[inside]) / np.sum(power[inside])


def test_its_own_voice_leaves_speech_as_it_is(speech, own):
    result = process(speech, own, {})
    gain = result @ speech / (speech @ speech)
    error = np.sum((result - gain * speech) ** 2) / np.sum(result**2)
    assert 10 * np.log10(error) < -40


@pytest.mark.parametrize("pitch_hz", [85.0, 110.0, 150.0, 175.0])
def test_median_pitch_hits_the_target(speech, own, pitch_hz):
    result = process(speech, own | {"pitch_hz": pitch_hz}, {})
    assert measure_profile(result).pitch_hz == pytest.approx(pitch_hz, rel=0.03)
    assert len(result) == pytest.approx(len(speech), rel=0.02)


@pytest.mark.parametrize("rate", [2.2, 2.7, 3.6, 4.2])
def test_duration_follows_the_ratio_of_the_rates(speech, own, rate):
    result = process(speech, own | {"syllables_per_s": rate}, {})
    assert len(result) / len(speech) == pytest.approx(own["syllables_per_s"] / rate, rel=0.02)
    assert measure_profile(result).syllables_per_s == pytest.approx(rate, rel=0.1)


@pytest.mark.parametrize("ratio", [0.85, 1.15])
def test_formants_are_scaled_by_the_ratio_of_the_tracts(speech, own, ratio):
    before = measure_profile(speech)
    result = process(speech, own | {"tract_hz": ratio * own["tract_hz"]}, {"bands": []})
    after = measure_profile(result)
    assert after.formant_tract_hz[:4] == pytest.approx(
        [ratio * value for value in before.formant_tract_hz[:4]], rel=0.04
    )
    assert after.pitch_hz == pytest.approx(before.pitch_hz, rel=0.02)


def test_a_selected_band_moves_alone(speech, own):
    # Band 3 (4φ to 6φ) holds the third formant only.
    targets = list(own["band_tract_hz"])
    targets[3] *= 1.06
    voice = own | {"band_tract_hz": targets}
    moved, kept = process(speech, voice, {"bands": [3]}), process(speech, voice, {"bands": [0, 4]})
    third = (2350, 3250)
    assert envelope_peak_hz(moved, *third) > envelope_peak_hz(kept, *third) + 80
    assert envelope_peak_hz(moved, 300, 1000) == pytest.approx(
        envelope_peak_hz(kept, 300, 1000), abs=10
    )


def test_a_selected_band_takes_the_target_level(speech, own):
    levels = list(own["band_level_db"])
    levels[4] += 5.0
    voice = own | {"band_level_db": levels}
    found = voice_of(process(speech, voice, {"bands": [4]}))["band_level_db"]
    assert found[4] - own["band_level_db"][4] == pytest.approx(5.0, abs=0.7)
    limited = voice_of(process(speech, voice, {"bands": [4], "max_level_change_db": 2.0}))
    assert limited["band_level_db"][4] - own["band_level_db"][4] == pytest.approx(2.0, abs=0.5)


def test_the_inverse_targets_recover_pitch_and_duration(speech, own):
    there = process(speech, own | {"pitch_hz": 160.0, "syllables_per_s": 3.8}, {})
    back = process(there, own, {})
    assert measure_profile(back).pitch_hz == pytest.approx(own["pitch_hz"], rel=0.03)
    assert len(back) == pytest.approx(len(speech), rel=0.03)


def test_changes_are_clipped(speech, own):
    far = own | {"pitch_hz": 400.0, "syllables_per_s": 30.0}
    result = process(speech, far, {})
    assert len(result) == round(len(speech) / 1.5)
    assert measure_profile(result).pitch_hz == pytest.approx(1.5 * own["pitch_hz"], rel=0.03)
    gentle = process(speech, far, {"max_pitch_change": 1.2, "max_rate_change": 1.1})
    assert len(gentle) == round(len(speech) / 1.1)
    assert measure_profile(gentle).pitch_hz == pytest.approx(1.2 * own["pitch_hz"], rel=0.03)


def test_exaggeration_moves_the_target_on(speech, own):
    near = own | {"tract_hz": own["tract_hz"] + 25.0}
    twice = own | {"tract_hz": own["tract_hz"] + 50.0}
    exaggerated = process(speech, near, {"exaggeration": 1.0, "bands": []})
    assert measure_profile(exaggerated).tract_hz == pytest.approx(
        measure_profile(process(speech, twice, {"bands": []})).tract_hz, abs=3.0
    )


def test_level_is_70_db_unless_it_would_clip(speech, own):
    # 20 µPa · 10^(70 / 20)
    assert np.sqrt(np.mean(process(speech, own, {}) ** 2)) == pytest.approx(0.06325, abs=1e-4)
    click = np.zeros(16000)
    click[8000] = 1.0
    assert np.abs(process(click, own, {})).max() <= 0.99


def test_draws_stay_inside_the_typical_ranges():
    for seed in range(200):
        voice = draw(np.random.default_rng(seed), {})
        assert 500 <= voice["tract_hz"] <= 585
        assert 110 <= voice["pitch_hz"] <= 175
        assert 3.8 <= voice["syllables_per_s"] <= 4.2
        distances = np.abs(np.array(voice["band_tract_hz"]) - voice["tract_hz"])
        assert (distances <= [40, 40, 75, 75, 75, 75]).all()
        offsets = np.abs(np.array(voice["band_level_db"]) - [64, 67, 58, 50, 47, 45])
        assert (offsets <= [4.5, 2.5, 4.5, 8, 10, 9]).all()


def test_the_same_generator_gives_the_same_voice_and_bytes(speech):
    first, second = (draw(random.Random("speaker 1"), {}) for _ in range(2))
    assert first == second
    assert first != draw(random.Random("speaker 2"), {})
    assert np.array_equal(process(speech, first, {}), process(speech.copy(), second, {}))


def test_fixed_targets_are_kept():
    params = {"tract_hz": 520, "pitch_hz": 140, "syllables_per_s": 4}
    voice = draw(np.random.default_rng(0), params)
    assert {key: voice[key] for key in params} == params


T = np.arange(1600) / 16000
HARD = {
    "silence": np.zeros(1600),
    "nothing": np.zeros(0),
    "one sample": np.ones(1),
    "less than a frame": np.ones(100),
    "dc": np.full(1600, 0.5),
    "clipped sine": np.clip(5 * np.sin(2 * np.pi * 200 * T), -1, 1),
    "clipped noise": np.clip(np.random.default_rng(0).normal(0, 3, 1600), -1, 1),
    "impulse": np.eye(1, 1600, 700)[0],
    "half the rate": np.cos(np.pi * np.arange(1600)),
    "one step of 16 bits": np.random.default_rng(0).integers(-1, 2, 1600) / 32768,
    "35 s": np.random.default_rng(0).uniform(-0.1, 0.1, 35 * 16000),
}


@pytest.mark.parametrize("name", HARD)
def test_degenerate_input_survives(name):
    samples = HARD[name].astype(np.float32)
    result = process(samples, draw(np.random.default_rng(0), {}), {})
    assert len(samples) / 1.51 <= len(result) <= 1.51 * len(samples)
    assert np.isfinite(result).all()
    assert np.abs(result).max(initial=0.0) <= 1.0
    assert result.any() == samples.any()


def test_digital_silence_inside_speech_survives(speech):
    gap = speech.copy()
    gap[20000:40000] = 0.0
    assert np.isfinite(process(gap, draw(np.random.default_rng(0), {}), {})).all()


def test_too_short_a_recording_has_no_voice():
    with pytest.raises(ValueError, match="too short for a voice profile"):
        voice_of(np.zeros(1600))


def test_bad_params_are_named():
    with pytest.raises(ValueError, match="pich_hz"):
        draw(np.random.default_rng(0), {"pich_hz": 120})
    with pytest.raises(ValueError, match="bands must be"):
        draw(np.random.default_rng(0), {"bands": [6]})
    with pytest.raises(ValueError, match="band_level_db needs one value per band"):
        draw(np.random.default_rng(0), {"band_level_db": [64, 67]})
    with pytest.raises(ValueError, match="mono"):
        process(np.zeros((2, 100)), {}, {})
