import numpy as np
import pytest
import soundfile

from scripts.lib.frames import HOP, level, log_mel, mel_filters
from scripts.lib.models.griffin_lim import Vocoder
from tests.unit.models.tiny_speech import make_speech


@pytest.fixture(scope="module")
def speech(tmp_path_factory):
    table, _ = make_speech(tmp_path_factory.mktemp("speech"), speakers=2, utterances=1)
    return level(soundfile.read(table["path"][0], dtype="float32")[0])


def test_speech_comes_back_with_its_spectrum_and_more_steps_come_nearer(speech):
    mel = log_mel(speech)
    errors = []
    for iterations in (1, 8, 60):
        wave = Vocoder(None, {"iterations": iterations}).wave(
            mel, np.zeros(len(mel)), None, np.random.default_rng(0)
        )
        assert wave.shape == (HOP * len(mel),)
        assert wave.dtype == np.float32
        loud = mel > mel.max() - 4
        errors.append(float(np.abs(log_mel(wave) - mel)[loud].mean()))
    assert errors[0] > errors[1] > errors[2]
    # A decibel is 0.115 in log amplitude.
    assert errors[2] < 0.25


def test_magnitudes_have_the_power_of_the_bands(speech):
    """Above 1 kHz, where a band has several bins; half of them stand for all."""
    mel = log_mel(speech)
    vocoder = Vocoder(None, {"iterations": 1})
    power = 2 * vocoder.magnitudes(mel) ** 2 @ mel_filters()[:, ::2].T
    loud = (mel > mel.max() - 3) & (np.arange(80) > 30)
    assert loud.any()
    assert np.abs(0.5 * np.log(power[loud]) - mel[loud]).mean() < 0.1


def test_pitch_is_not_heard_and_the_draw_decides_the_phases(speech):
    mel = log_mel(speech)[:20]
    vocoder = Vocoder(None, {"iterations": 4})
    one, same, other = (
        vocoder.wave(mel, np.full(20, hz), None, np.random.default_rng(seed))
        for hz, seed in ((100.0, 0), (300.0, 0), (100.0, 1))
    )
    assert one.tobytes() == same.tobytes() != other.tobytes()
