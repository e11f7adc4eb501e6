"""One short clip of each of 251 LibriSpeech readers, from the archive of resemble-ai/Resemblyzer.

The facts give the length of each clip, which is the beginning of the recording, and the MD5 of its
samples.
"""

import io
from pathlib import Path

import pandas as pd
import soundfile

from scripts.lib.audio import RATE_HZ, write_audio
from scripts.lib.corpora.archive import Archive, check_samples
from scripts.lib.kaldi import write_kaldi_dir

NAME = "libri251"
FOLDER = "audio_data/librispeech_train-clean-100"


def prepare(archive: Archive, facts: pd.DataFrame, data: Path, seed: int) -> pd.DataFrame:
    """Write audio and the list libri251_pool below `data` and return the rows of all utterances.

    Parameters
    ----------
    archive
        The repository.
    facts
        Columns utterance, gender, samples and md5.
    data
        Folder to write into.
    seed
        Not used: nothing is random.
    """
    rows = []
    for fact in facts.itertuples():
        source = f"{FOLDER}/{fact.utterance}.flac"
        samples, rate_hz = soundfile.read(io.BytesIO(archive.read(source)), dtype="int16")
        clip = samples[: int(fact.samples)]
        check_samples(archive, source, clip, rate_hz, fact.md5)
        speaker = fact.utterance.split("-")[0]
        path = f"{NAME}/wav/{speaker}/{fact.utterance}.wav"
        write_audio(data / path, clip)
        rows.append(
            {
                "utterance": fact.utterance,
                "speaker": speaker,
                "gender": fact.gender,
                "path": path,
                "duration_s": len(clip) / RATE_HZ,
                "text": "",
            }
        )
    table = pd.DataFrame(rows)
    write_kaldi_dir(data / NAME / f"{NAME}_pool", table)
    return table
