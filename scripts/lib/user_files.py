"""Say which of the user's own files a system depends on, so that changing one reruns what uses it.

The workflow asks this on each start, so nothing here may import more than the standard library.
"""

import ast
import os
import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from scripts.lib.kaldi_files import audio_path, read_map

AUDIO_SUFFIXES = (".flac", ".wav")


def files_of_system(name: str, system: Mapping) -> list[str]:
    """Return the files outside the repository that a system's code consists of.

    Parameters
    ----------
    name
        Name of the system, for messages.
    system
        Its entry. Only the methods `python` and `command` have such files.
    """
    params = system["params"]
    if system["method"] == "python":
        module = params["function"].split(":")[0]
        found = module_files(module, params["path"])
        if not found:
            expected = Path(params["path"], *module.split(".")).with_suffix(".py")
            raise ValueError(f"system {name}: no module {module}; looked for {expected}")
    elif system["method"] == "command":
        try:
            words = shlex.split(params["command"])
        except ValueError as error:
            raise ValueError(f"system {name}: params.command: {error}") from error
        found = [word for word in words if Path(word).is_file()]
    else:
        return []
    absent = [file for file in params["files"] if not Path(file).is_file()]
    if absent:
        raise ValueError(f"system {name}: params.files: no such file: {', '.join(absent)}")
    return sorted({*found, *params["files"]})


def index_settings(name: str, system: Mapping, dataset: str) -> dict:
    """Return what the index of one dataset's finished audio depends on.

    Other datasets of the same system stay out, so that adding one reruns nothing else.

    Examples
    --------
    >>> params = {"audio": {"test": "anonymized/test"}, "match": "name"}
    >>> index_settings("mine", {"method": "external", "params": params}, "dev")
    Traceback (most recent call last):
    ValueError: system mine: params.audio names no place for dataset dev, only for test
    """
    if system["method"] != "external":
        raise ValueError(f"system {name}: there is an index for the method external only")
    settings = dict(system["params"])
    places = settings.pop("audio")
    if dataset not in places:
        known = ", ".join(sorted(places))
        raise ValueError(
            f"system {name}: params.audio names no place for dataset {dataset}, only for {known}"
        )
    return {"system": name, "dataset": dataset, "location": places[dataset], **settings}


def module_files(module: str, folder: str) -> list[str]:
    """Return the file of a module and of every module in the same folder that it imports.

    Parameters
    ----------
    module
        Its dotted name.
    folder
        Where the search begins, as on `sys.path`.
    """
    home = Path(folder)
    found: set[Path] = set()
    queue = _files_named(module, home)
    while queue:
        file = queue.pop()
        if file not in found:
            found.add(file)
            for name in _imported_names(file, home):
                queue.extend(_files_named(name, home))
    return sorted(map(str, found))


def audio_files(location: str | Path) -> list[tuple[str, Path]]:
    """Return name and path of all audio at a location.

    Parameters
    ----------
    location
        A folder, searched with all folders in it for wav and flac files, whose names are paths
        relative to it without suffix; or a list like wav.scp, whose names are utterances and
        whose relative paths start from the folder of the list.
    """
    location = Path(location)
    if location.is_dir():
        return sorted(_audio_below(location))
    if not location.is_file():
        raise ValueError(f"{location}: neither a folder of audio nor a wav.scp")
    entries = read_map(location).items()
    return [(name, audio_path(location, name, entry, location.parent)) for name, entry in entries]


@cache
def tracked_audio(location: str) -> list[str]:
    """Return the list, if it is one, and every audio file there is at a location."""
    found = [str(path) for _, path in audio_files(location) if path.is_file()]
    return [location, *found] if Path(location).is_file() else found


def _audio_below(folder: Path) -> list[tuple[str, Path]]:
    found = []
    for parent, _, names in os.walk(folder, followlinks=True):
        for name in names:
            path = Path(parent, name)
            if path.suffix.lower() in AUDIO_SUFFIXES and not name.startswith("."):
                found.append((path.relative_to(folder).with_suffix("").as_posix(), path))
    return found


def _files_named(module: str, home: Path) -> list[Path]:
    parts = module.split(".")
    files = [home.joinpath(*parts[:-1], f"{parts[-1]}.py")]
    files += [home.joinpath(*parts[:depth], "__init__.py") for depth in range(1, len(parts) + 1)]
    return [file for file in files if file.is_file()]


def _imported_names(file: Path, home: Path) -> set[str]:
    """Return the dotted names that a module imports, relative ones resolved."""
    package = file.relative_to(home).parent.parts
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"), filename=str(file))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *filter(None, [node.module])])
            # `from package import name` may name a module or an object: try both.
            names.update([base, *(f"{base}.{alias.name}" for alias in node.names)])
    return {name.strip(".") for name in names} - {""}
