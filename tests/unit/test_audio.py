import numpy as np
import pytest
import soundfile

from scripts.lib.audio import RATE_HZ, duration_s, read_audio, write_audio
from tests.factories import make_tone


def test_pcm_survives_the_round_trip_bit_by_bit(tmp_path):
    samples = np.random.default_rng(0).integers(-32768, 32767, 1000, dtype=np.int16)
    write_audio(tmp_path / "a.wav", samples)
    write_audio(tmp_path / "b.wav", read_audio(tmp_path / "a.wav"))
    assert (tmp_path / "a.wav").read_bytes() == (tmp_path / "b.wav").read_bytes()
    header = soundfile.info(tmp_path / "b.wav")
    assert (header.samplerate, header.channels, header.subtype) == (16000, 1, "PCM_16")


def test_full_scale_is_not_wrapped(tmp_path):
    write_audio(tmp_path / "a.wav", np.array([1.0, -1.0]))
    assert soundfile.read(tmp_path / "a.wav", dtype="int16")[0].tolist() == [32767, -32768]


@pytest.mark.parametrize("bad", [np.array([0.0, np.nan]), np.array([0.0, 1.5])])
def test_bad_samples_are_refused_and_leave_no_file(tmp_path, bad):
    with pytest.raises(ValueError, match=r"a\.wav: refusing"):
        write_audio(tmp_path / "a.wav", bad)
    assert list(tmp_path.iterdir()) == []


def test_truncated_wav_is_named(tmp_path):
    path = tmp_path / "cut.wav"
    soundfile.write(path, make_tone(), RATE_HZ, subtype="PCM_16")
    path.write_bytes(path.read_bytes()[:-1000])
    for read in (read_audio, duration_s):
        with pytest.raises(ValueError, match=r"cut\.wav: truncated, 1000 bytes"):
            read(path)


def test_empty_and_missing_files_are_named(tmp_path):
    (tmp_path / "zero.wav").touch()
    soundfile.write(tmp_path / "none.wav", np.zeros(0), RATE_HZ)
    for name, message in (("zero", "empty file"), ("none", "no samples"), ("gone", "no such")):
        with pytest.raises(ValueError, match=rf"{name}\.wav: .*{message}"):
            read_audio(tmp_path / f"{name}.wav")


def test_nan_sample_is_named(tmp_path):
    samples = make_tone()
    samples[17] = np.nan
    soundfile.write(tmp_path / "nan.wav", samples, RATE_HZ, subtype="FLOAT")
    with pytest.raises(ValueError, match=r"nan\.wav: sample 17 is not a finite number"):
        read_audio(tmp_path / "nan.wav")


def test_not_audio_is_named(tmp_path):
    (tmp_path / "text.wav").write_text("hello")
    with pytest.raises(ValueError, match=r"text\.wav: not a readable audio file"):
        read_audio(tmp_path / "text.wav")


def test_other_rate_needs_permission_and_keeps_pitch(tmp_path):
    time = np.arange(8000) / 8000
    soundfile.write(tmp_path / "slow.wav", 0.5 * np.sin(2 * np.pi * 440 * time), 8000)
    with pytest.raises(ValueError, match=r"slow\.wav: sampled at 8000 Hz.*`resample: true`"):
        read_audio(tmp_path / "slow.wav")
    samples = read_audio(tmp_path / "slow.wav", resample=True)
    spectrum = np.abs(np.fft.rfft(samples))
    assert len(samples) == RATE_HZ
    assert np.argmax(spectrum) == 440


def test_a_full_scale_recording_survives_resampling(tmp_path):
    square = np.sign(np.sin(2 * np.pi * 100 * np.arange(8000) / 8000 + 0.1))
    soundfile.write(tmp_path / "loud.wav", 0.9999 * square, 8000)
    samples = read_audio(tmp_path / "loud.wav", resample=True)
    assert samples.dtype == np.float32
    assert np.abs(samples).max() <= 1.0
    write_audio(tmp_path / "again.wav", samples)


def test_stereo_needs_permission_and_is_averaged(tmp_path):
    left = make_tone()
    soundfile.write(tmp_path / "two.wav", np.stack([left, np.zeros_like(left)], 1), RATE_HZ)
    with pytest.raises(ValueError, match=r"two\.wav: 2 channels.*`downmix: true`"):
        read_audio(tmp_path / "two.wav")
    mono = read_audio(tmp_path / "two.wav", downmix=True)
    np.testing.assert_allclose(mono, left / 2, atol=1 / 32768)
