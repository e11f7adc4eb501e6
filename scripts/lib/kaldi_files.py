"""Which files make up a Kaldi data directory, and what the lines of a list say.

Apart from `kaldi`, because the workflow asks this on each start and must not wait for pandas.
"""

from collections.abc import Iterator
from pathlib import Path

REQUIRED = ("wav.scp", "utt2spk", "spk2gender")
OPTIONAL = ("spk2utt", "text", "utt2dur", "utt2emo", "spk2fold", "utt2fold", "enrolls", "trials")

# Of a dataset that is known by its trials, without audio.
TRIAL_LISTS = ("trials", "utt2spk")


def trial_files(directory: str | Path) -> list[Path]:
    """Return the trial list of a directory without audio, and its speakers if it lists them."""
    directory = Path(directory)
    if not (directory / "trials").is_file():
        raise ValueError(
            f"{directory / 'trials'}: no such trial list; lines are `speaker utterance target`"
        )
    return [directory / name for name in TRIAL_LISTS if (directory / name).is_file()]


def list_files(directory: str | Path) -> list[Path]:
    """Return the list files of a data directory, or say which are missing."""
    directory = Path(directory)
    missing = [name for name in REQUIRED if not (directory / name).is_file()]
    if missing:
        raise ValueError(
            f"{directory}: not a Kaldi data directory, it lacks {', '.join(missing)}; "
            "check the `subsets` of the dataset's entry and the `corpora` key of the config"
        )
    lists = [directory / n for n in (*REQUIRED, *OPTIONAL) if (directory / n).is_file()]
    return lists + [
        file for folder in fold_folders(directory).values() for file in sorted(folder.iterdir())
    ]


def fold_folders(directory: str | Path) -> dict[int, Path]:
    """Return the folders `folds/foldNN` of a data directory by number; none if it has no folds."""
    found = {}
    for folder in sorted(Path(directory).glob("folds/*")):
        number = folder.name.removeprefix("fold")
        if not number.isdecimal():
            raise ValueError(f"{folder}: expected a folder named fold01, fold02 …")
        found[int(number)] = folder
    return found


def read_lines(path: str | Path) -> Iterator[tuple[int, list[str]]]:
    """Yield number and fields of each line that is not empty."""
    with Path(path).open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield number, line.split()


def read_map(path: str | Path, *, empty: bool = False) -> dict[str, str]:
    """Return a list as first field to rest of the line.

    Parameters
    ----------
    path
        A list such as wav.scp or utt2spk.
    empty
        Whether a line may hold its first field only.
    """
    pairs: dict[str, str] = {}
    for number, fields in read_lines(path):
        if len(fields) < 2 and not empty:
            raise ValueError(f"{path}, line {number}: {fields[0]} has no value")
        if fields[0] in pairs:
            raise ValueError(f"{path}, line {number}: {fields[0]} is listed twice")
        pairs[fields[0]] = " ".join(fields[1:])
    return pairs


def audio_path(scp: str | Path, utterance: str, entry: str, root: str | Path) -> Path:
    """Return the audio file that an entry of wav.scp names.

    Older recipes decode through a pipe, `flac -c -d -s FILE |`: the file itself is read instead.

    Examples
    --------
    >>> audio_path("wav.scp", "u1", "flac -c -d -s a/u1.flac |", "speech").as_posix()
    'speech/a/u1.flac'
    """
    if entry.endswith("|"):
        files = [w for w in entry.split() if w.endswith((".flac", ".wav"))]
        if len(files) != 1:
            raise ValueError(
                f"{scp}: utterance {utterance} is read through the command "
                f"`{entry}`; give the path of a wav or flac file"
            )
        entry = files[0]
    return Path(root) / entry
