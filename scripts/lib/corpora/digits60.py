"""Digit strings of 60 speakers, joined from the single digits of soerenab/AudioMNIST.

The facts say which recordings make which utterance, and the gain of each speaker. Pauses and the
noise in them are drawn from the corpus's seed, so the audio is the same wherever it is made, but
not sample by sample that of another preparation of the same strings.
"""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import soundfile
import soxr

from scripts.lib.audio import RATE_HZ, write_audio
from scripts.lib.corpora.archive import Archive
from scripts.lib.corpora.lists import write_lists
from scripts.lib.seeding import rng_for

NAME = "digits60"
SOURCE_HZ = 48000
DIGITS = ("ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE")
META = "data/audioMNIST_meta.txt"
ENROLLED = 4
FRAME_S, SPECTRUM = 0.01, 1024
BEFORE_S, AFTER_S = 0.04, 0.06
PAUSE_S = (0.08, 0.25)
# Speech lies this far above the background and not further than this below its own peak.
ABOVE_DB, BELOW_DB = 10.0, 35.0


def prepare(archive: Archive, facts: pd.DataFrame, data: Path, seed: int) -> pd.DataFrame:
    """Write audio and lists below `data` and return the rows of all utterances.

    Parameters
    ----------
    archive
        The repository.
    facts
        Columns utterance, speaker, gender, part, gain_db, sample_step and recordings (names
        DIGIT_SPEAKER_TAKE, in order).
    data
        Folder to write into.
    seed
        Seed of pauses and their noise.
    """
    facts = facts.astype({"gain_db": float, "sample_step": int})
    _check_genders(archive, facts)
    rows = []
    for speaker, utterances in facts.groupby("speaker"):
        strings = [row.recordings.split() for row in utterances.itertuples()]
        takes = {name: _recording(archive, name) for names in strings for name in names}
        background = background_of(list(takes.values()))
        for row, names in zip(utterances.itertuples(), strings, strict=True):
            rng = rng_for(seed, NAME, row.utterance)
            joined = join([takes[name] for name in names], background, rng)
            samples = 10 ** (row.gain_db / 20) * soxr.resample(joined, SOURCE_HZ, RATE_HZ, "VHQ")
            path = f"{NAME}/wav/{speaker}/{row.utterance}.wav"
            write_audio(data / path, _rounded(samples, row.sample_step))
            rows.append(
                {
                    "utterance": row.utterance,
                    "speaker": speaker,
                    "gender": row.gender,
                    "part": row.part,
                    "role": _role(row.utterance),
                    "path": path,
                    "duration_s": len(samples) / RATE_HZ,
                    "text": " ".join(DIGITS[int(name.split("_")[0])] for name in names),
                }
            )
    table = pd.DataFrame(rows)
    write_lists(data / NAME, NAME, table)
    return table


def speech_limits(samples: np.ndarray) -> tuple[int, int]:
    """Return first and last sample of the speech in a recording, with a little around it."""
    frame = round(FRAME_S * SOURCE_HZ)
    level_db = _levels_db(samples, frame)
    threshold = max(np.percentile(level_db, 10) + ABOVE_DB, level_db.max() - BELOW_DB)
    spoken = np.flatnonzero(level_db >= min(threshold, level_db.max()))
    start = spoken[0] * frame - round(BEFORE_S * SOURCE_HZ)
    end = (spoken[-1] + 1) * frame + round(AFTER_S * SOURCE_HZ)
    return max(0, start), min(len(samples), end)


def background_of(recordings: Sequence[np.ndarray]) -> np.ndarray:
    """Return the amplitude spectrum of a speaker's background, shape (SPECTRUM // 2 + 1,).

    It is that of the quietest tenth of all frames: noise of variance 1 times it, bin by bin, has
    their power.
    """
    whole = [r[: len(r) // SPECTRUM * SPECTRUM].reshape(-1, SPECTRUM) for r in recordings]
    frames = np.concatenate(whole)
    power = (frames**2).mean(axis=1)
    quiet = frames[np.argsort(power, kind="stable")[: max(1, len(frames) // 10)]]
    window = np.hanning(SPECTRUM)
    spectra = np.abs(np.fft.rfft(quiet * window)) ** 2
    return np.sqrt(spectra.mean(axis=0) / (window**2).sum())


def join(
    recordings: Sequence[np.ndarray], background: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Cut recordings to their speech and join them with pauses of the speaker's background."""
    parts: list[np.ndarray] = []
    for samples in recordings:
        if parts:
            parts.append(_noise(background, round(rng.uniform(*PAUSE_S) * SOURCE_HZ), rng))
        start, end = speech_limits(samples)
        parts.append(samples[start:end])
    return np.concatenate(parts)


def _noise(background: np.ndarray, length: int, rng: np.random.Generator) -> np.ndarray:
    spectrum = np.fft.rfft(rng.standard_normal(length))
    places = np.linspace(0, 1, len(spectrum))
    shape = np.interp(places, np.linspace(0, 1, len(background)), background)
    return np.fft.irfft(spectrum * shape, length)


def _levels_db(samples: np.ndarray, frame: int) -> np.ndarray:
    frames = samples[: max(1, len(samples) // frame) * frame]
    frames = np.pad(frames, (0, -len(frames) % frame)).reshape(-1, frame)
    return 10 * np.log10((frames**2).mean(axis=1) + 1e-12)


def _recording(archive: Archive, name: str) -> np.ndarray:
    path = f"data/{name.split('_')[1]}/{name}.wav"
    form = soundfile.SoundFile(io.BytesIO(archive.read(path)))
    if (form.samplerate, form.channels, form.subtype) != (SOURCE_HZ, 1, "PCM_16"):
        raise ValueError(
            f"{archive.path}: {path} is {form.subtype} at {form.samplerate} Hz with "
            f"{form.channels} channels, expected PCM_16 at {SOURCE_HZ} Hz with one"
        )
    samples = form.read(dtype="float64")
    if not samples.any():
        raise ValueError(f"{archive.path}: {path} is silent")
    return samples


def _check_genders(archive: Archive, facts: pd.DataFrame) -> None:
    meta = json.loads(archive.read(META))
    for row in facts.drop_duplicates("speaker").itertuples():
        stated = meta.get(row.speaker.removeprefix("am"), {}).get("gender", "unknown")
        if stated[0] != row.gender:
            raise ValueError(
                f"{archive.path}: {META} calls speaker {row.speaker} {stated}, not {row.gender}"
            )


def _role(utterance: str) -> str:
    """Return what an utterance of a dev or test speaker is for, by its number.

    Examples
    --------
    >>> _role("am24-d03"), _role("am24-d04")
    ('enrol', 'trial')
    """
    return "enrol" if int(utterance.split("-d")[1]) < ENROLLED else "trial"


def _rounded(samples: np.ndarray, step: int) -> np.ndarray:
    """Return 16-bit samples in steps no coarser than the source's own, after its gain."""
    limit = (32767 // step) * step
    return np.clip(np.round(samples * 32768 / step) * step, -limit, limit).astype(np.int16)
