import numpy as np
import pytest
import soundfile
import torch

from scripts.lib.audio import RATE_HZ
from scripts.lib.models.logmel import FeatureStore, change_speed, log_mel
from tests.factories import make_tone

SETTINGS = {"mel_bins": 40, "low_hz": 20, "high_hz": 7600}


def test_a_frame_every_ten_milliseconds_without_a_mean():
    features = log_mel(make_tone(1.234), SETTINGS)
    assert features.shape == (123, 40)
    assert torch.allclose(features.mean(dim=0), torch.zeros(40), atol=1e-4)


def test_level_does_not_matter():
    tone = make_tone()
    quiet = log_mel(tone * 0.1, SETTINGS)
    assert torch.allclose(quiet, log_mel(tone, SETTINGS), atol=1e-3)


def test_a_tone_shows_in_its_filter():
    time = np.arange(RATE_HZ) / RATE_HZ
    tone = np.where(time < 0.5, np.sin(2 * np.pi * 500 * time), np.sin(2 * np.pi * 3000 * time))
    features = log_mel((0.5 * tone).astype(np.float32), SETTINGS)

    def filter_of(hz: float) -> int:
        mel = 1127 * np.log1p(np.array([20.0, hz, 7600.0]) / 700)
        return round(41 * (mel[1] - mel[0]) / (mel[2] - mel[0])) - 1

    gain = features[10:40].mean(dim=0) - features[60:90].mean(dim=0)
    assert int(gain.argmax()) == pytest.approx(filter_of(500), abs=1)
    assert int(gain.argmin()) == pytest.approx(filter_of(3000), abs=1)


def test_a_faster_tone_is_higher_and_shorter():
    time = np.arange(RATE_HZ) / RATE_HZ
    fast = change_speed(np.sin(2 * np.pi * 1000 * time).astype(np.float32), 1.1)
    spectrum = np.abs(np.fft.rfft(fast * np.hanning(len(fast))))
    assert len(fast) == pytest.approx(RATE_HZ / 1.1, abs=1)
    assert spectrum.argmax() * RATE_HZ / len(fast) == pytest.approx(1100, abs=2)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_store_gives_back_the_features_of_each_utterance_and_speed(tmp_path, threads):
    paths = []
    for number in range(5):
        paths.append(str(tmp_path / f"{number}.wav"))
        soundfile.write(paths[-1], make_tone(0.3 + 0.1 * number, seed=number), RATE_HZ)
    store = FeatureStore(paths, SETTINGS, speeds=[0.9, 1.0], threads=threads)
    assert store.keys == [(number, speed) for number in range(5) for speed in (0.9, 1.0)]
    for entry, (number, speed) in enumerate(store.keys):
        samples, _ = soundfile.read(paths[number], dtype="float32")
        expected = log_mel(change_speed(samples, speed), SETTINGS).numpy()
        assert np.array_equal(store[entry], expected)
        assert store.lengths()[entry] == len(expected)
    store[0][:] = 0.0
    assert store[0].any()
