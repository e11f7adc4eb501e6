"""Find the finished audio of a dataset's utterances, check it and list it with a hash per file."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path, PurePath

import pandas as pd

from scripts.lib.audio_check import check_headers
from scripts.lib.provenance import file_digest
from scripts.lib.user_files import audio_files

INDEX_COLUMNS = ["utterance", "path", "sha256"]


def build_index(utterances: pd.DataFrame, settings: Mapping) -> pd.DataFrame:
    """Return one row per utterance with its file, or raise an error with all that is wrong.

    Parameters
    ----------
    utterances
        The manifest of the dataset.
    settings
        `system` and `dataset` (names), `location` (a folder or a wav.scp), `match`,
        `allow_extra`, `tolerance_s`, `resample` and `downmix`.
    """
    location = settings["location"]
    candidates = _candidates(utterances, location, settings["match"])
    chosen = {name: found[0] for name, found in candidates.items() if found}
    # A path without a file is found missing by the check itself.
    files = {name: chosen.get(name, Path(location, name)) for name in utterances["utterance"]}
    problems = check_headers(
        files,
        resample=settings["resample"],
        downmix=settings["downmix"],
        expected_s=dict(zip(utterances["utterance"], utterances["duration_s"], strict=True)),
        tolerance_s=settings["tolerance_s"],
    )
    for name, found in candidates.items():
        if len(found) > 1:
            problems.add("ambiguous", f"{name}: {' and '.join(map(str, found[:2]))}")
    owners = defaultdict(list)
    for name, path in chosen.items():
        owners[path].append(name)
    for path, names in owners.items():
        if len(names) > 1:
            problems.add("ambiguous", f"{path}: {' and '.join(names[:2])}")
    used = {path for found in candidates.values() for path in found}
    if not settings["allow_extra"]:
        for _, path in audio_files(location):
            if path not in used:
                problems.add("extra", str(path))
    if problems:
        lines = "\n".join(problems.lines())
        raise ValueError(
            f"system {settings['system']}, dataset {settings['dataset']}: "
            f"{len(problems)} problems with the audio in {location}\n{lines}"
        )
    rows = [(name, str(path), file_digest(path)) for name, path in files.items()]
    return pd.DataFrame(rows, columns=INDEX_COLUMNS)


def _candidates(utterances: pd.DataFrame, location: str, match: str) -> dict[str, list[Path]]:
    """Return the files that may belong to each utterance."""
    by_key = defaultdict(list)
    is_list = Path(location).is_file()
    for name, path in audio_files(location):
        by_key[name if is_list or match == "path" else PurePath(name).name].append(path)
    if is_list or match == "name":
        return {name: by_key.get(name, []) for name in utterances["utterance"]}
    originals = zip(utterances["utterance"], utterances["path"], strict=True)
    return {name: _mirrored(PurePath(original), by_key) for name, original in originals}


def _mirrored(original: PurePath, by_key: Mapping[str, list[Path]]) -> list[Path]:
    """Return the files whose path below the folder is how the original's path ends."""
    parts = original.with_suffix("").parts
    for start in range(len(parts)):
        found = by_key.get("/".join(parts[start:]))
        if found:
            return found
    return []
