"""Which files make up a Kaldi data directory.

Apart from `kaldi`, because the workflow asks this on each start and must not wait for pandas.
"""

from pathlib import Path

REQUIRED = ("wav.scp", "utt2spk", "spk2gender")
OPTIONAL = ("spk2utt", "text", "utt2dur", "utt2emo", "spk2fold", "utt2fold", "enrolls", "trials")


def list_files(directory: str | Path) -> list[Path]:
    """Return the list files of a data directory, or say which are missing."""
    directory = Path(directory)
    missing = [name for name in REQUIRED if not (directory / name).is_file()]
    if missing:
        raise ValueError(
            f"{directory}: not a Kaldi data directory, it lacks {', '.join(missing)}; "
            "check the `subsets` of the dataset's entry and the `corpora` key of the config"
        )
    return [directory / n for n in (*REQUIRED, *OPTIONAL) if (directory / n).is_file()]
