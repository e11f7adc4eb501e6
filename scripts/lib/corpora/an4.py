"""CMU AN4 from the archive of cmusphinx/an4: samples unchanged, each file checked.

The facts list every utterance with its role and the MD5 of its samples. An utterance
`wav/*/SPEAKER/NAME-SPEAKER-b.wav` is called SPEAKER-NAME, so that names begin with the speaker.
"""

import io
import re
from pathlib import Path, PurePosixPath

import pandas as pd
import soundfile

from scripts.lib.audio import RATE_HZ, write_audio
from scripts.lib.corpora.archive import Archive, check_samples
from scripts.lib.corpora.lists import write_lists

NAME = "an4"
TRANSCRIPT = re.compile(r"^(.*?)\s*\((\S+)\)$")


def prepare(archive: Archive, facts: pd.DataFrame, data: Path, seed: int) -> pd.DataFrame:
    """Write audio and lists below `data` and return the rows of all utterances.

    Parameters
    ----------
    archive
        The repository.
    facts
        Columns utterance, part, role and md5.
    data
        Folder to write into.
    seed
        Not used: nothing is random.
    """
    files = {_utterance(PurePosixPath(path).stem): path for path in archive.names(".wav")}
    texts = {
        name: text
        for path in archive.names(".transcription")
        for name, text in _transcripts(archive.read(path).decode("utf-8")).items()
    }
    rows = []
    for fact in facts.itertuples():
        for found, what in ((files, "recording"), (texts, "transcript")):
            if fact.utterance not in found:
                raise ValueError(f"{archive.path}: no {what} of utterance {fact.utterance}")
        source = files[fact.utterance]
        samples, rate_hz = soundfile.read(io.BytesIO(archive.read(source)), dtype="int16")
        check_samples(archive, source, samples, rate_hz, fact.md5)
        speaker = fact.utterance.split("-")[0]
        path = f"{NAME}/wav/{speaker}/{fact.utterance}.wav"
        write_audio(data / path, samples)
        rows.append(
            {
                "utterance": fact.utterance,
                "speaker": speaker,
                "gender": speaker[0],
                "part": fact.part,
                "role": fact.role,
                "path": path,
                "duration_s": len(samples) / RATE_HZ,
                "text": texts[fact.utterance],
            }
        )
    table = pd.DataFrame(rows)
    write_lists(data / NAME, NAME, table)
    return table


def _utterance(stem: str) -> str:
    """Turn a file name into ours.

    Examples
    --------
    >>> _utterance("an251-fash-b")
    'fash-an251'
    """
    name, speaker, *_ = stem.split("-")
    return f"{speaker}-{name}"


def _transcripts(text: str) -> dict[str, str]:
    """Return the words of each utterance of a transcription file.

    Examples
    --------
    >>> _transcripts("<s> YES </s> (an251-fash-b)")
    {'fash-an251': 'YES'}
    """
    found = {}
    for line in text.splitlines():
        match = TRANSCRIPT.match(line.strip())
        if match:
            words = [word for word in match[1].split() if word not in ("<s>", "</s>")]
            found[_utterance(match[2])] = " ".join(words).upper()
    return found
