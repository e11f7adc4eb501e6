"""Read and write speech: 16 kHz, mono, 16-bit, checked sample by sample."""

from pathlib import Path

import numpy as np
import soundfile
import soxr

from scripts.lib.files import atomic_path

RATE_HZ = 16_000
FULL_SCALE = 32_768


def read_audio(path: str | Path, *, resample: bool = False, downmix: bool = False) -> np.ndarray:
    """Return a recording as float32 samples in [-1, 1) at 16 kHz.

    Parameters
    ----------
    path
        A wav or flac file.
    resample, downmix
        Whether another sampling rate or several channels may be converted. If not, they are
        errors: a silent conversion would hide a wrong file.
    """
    _check_complete(path)
    try:
        samples, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise ValueError(f"{path}: not a readable audio file ({error.error_string})") from error
    if len(samples) == 0:
        raise ValueError(f"{path}: holds no samples; remove the utterance or restore the file")
    if not np.isfinite(samples).all():
        where = int(np.argmin(np.isfinite(samples).all(axis=1)))
        raise ValueError(f"{path}: sample {where} is not a finite number; write the file anew")
    check_form(path, rate_hz, samples.shape[1], resample=resample, downmix=downmix)
    mono = samples.mean(axis=1) if samples.shape[1] > 1 else samples[:, 0]
    if rate_hz == RATE_HZ:
        return mono
    samples = soxr.resample(mono, rate_hz, RATE_HZ, quality="VHQ")
    # The filter overshoots steep edges. A peak that was in the file itself stays for the writer
    # to refuse.
    return np.clip(samples, -1.0, 1.0) if np.abs(mono).max() <= 1.0 else samples


def check_form(
    path: str | Path, rate_hz: int, channels: int, *, resample: bool, downmix: bool
) -> None:
    """Refuse a sampling rate or a number of channels that the dataset does not allow."""
    if rate_hz != RATE_HZ and not resample:
        raise ValueError(
            f"{path}: sampled at {rate_hz} Hz, expected {RATE_HZ} Hz; "
            "set `resample: true` in the dataset's entry to convert it"
        )
    if channels != 1 and not downmix:
        raise ValueError(
            f"{path}: {channels} channels, expected 1; "
            "set `downmix: true` in the dataset's entry to average them"
        )


def duration_s(path: str | Path, *, resample: bool = False, downmix: bool = False) -> float:
    """Return the length of a recording, reading and checking its header only."""
    _check_complete(path)
    try:
        header = soundfile.info(path)
    except soundfile.LibsndfileError as error:
        raise ValueError(f"{path}: not a readable audio file ({error.error_string})") from error
    if header.frames == 0:
        raise ValueError(f"{path}: holds no samples; remove the utterance or restore the file")
    check_form(path, header.samplerate, header.channels, resample=resample, downmix=downmix)
    return header.frames / header.samplerate


def write_audio(path: str | Path, samples: np.ndarray) -> None:
    """Write 16-bit samples at 16 kHz; the file appears whole or not at all.

    Parameters
    ----------
    path
        A wav or flac file; both hold the same samples.
    samples
        Either int16, or float in [-1, 1], which is rounded to the nearest step.
    """
    if not np.isfinite(samples).all():
        raise ValueError(f"{path}: refusing to write a sample that is not a finite number")
    if samples.dtype != np.int16:
        peak = float(np.abs(samples).max(initial=0.0))
        if peak > 1.0:
            raise ValueError(f"{path}: refusing to write a peak of {peak:.3f}, 1.0 is full scale")
        scaled = np.round(np.asarray(samples, dtype=np.float64) * FULL_SCALE)
        samples = np.minimum(scaled, FULL_SCALE - 1).astype(np.int16)
    with atomic_path(path) as temporary:
        soundfile.write(temporary, samples, RATE_HZ, subtype="PCM_16")


def _check_complete(path: str | Path) -> None:
    """Refuse a wav file that ends before its header says: libsndfile would shorten it silently."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{path}: no such audio file")
    if path.stat().st_size == 0:
        raise ValueError(f"{path}: empty file; restore it or remove the utterance")
    with path.open("rb") as stream:
        head = stream.read(12)
        if head[:4] != b"RIFF" or head[8:] != b"WAVE":
            return
        size = path.stat().st_size
        while len(chunk := stream.read(8)) == 8:
            length = int.from_bytes(chunk[4:], "little")
            if chunk[:4] == b"data":
                missing = stream.tell() + length - size
                # 0xFFFFFFFF marks a stream of unknown length, as written through a pipe.
                if missing > 0 and length != 0xFFFFFFFF:
                    raise ValueError(f"{path}: truncated, {missing} bytes of audio are missing")
                return
            stream.seek(length + length % 2, 1)
        raise ValueError(f"{path}: truncated, the header has no audio after it")
