"""What a study's results were made with: revision, versions, configuration, checksums."""

import platform
import re
import subprocess
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path

from scripts.lib.provenance import file_digest

REPOSITORY = Path(__file__).parents[2]


def git_state(repository: Path = REPOSITORY) -> dict:
    """Return the commit that is checked out and the files that differ from it.

    A folder that is no git checkout of its own has neither.
    """
    if not (repository / ".git").exists():
        return {"revision": None, "changed": []}
    changed = _git(repository, "status", "--porcelain", "--untracked-files=no").splitlines()
    return {
        "revision": _git(repository, "rev-parse", "HEAD").strip(),
        "changed": sorted(line[3:] for line in changed),
    }


def package_versions(locks: Iterable[Path]) -> dict[str, str]:
    """Return the installed version of every package that a lock file names, if it is installed."""
    names = {
        re.split(r"[=\[]", line, maxsplit=1)[0]
        for lock in locks
        for line in lock.read_text(encoding="utf-8").splitlines()
    }
    installed = {
        d.metadata["Name"].lower().replace("_", "-"): d.version for d in metadata.distributions()
    }
    return {name: installed[name] for name in sorted(names) if name in installed}


def run_record(
    study: str, configuration: Mapping, data: Iterable[str], results: Iterable[str]
) -> dict:
    """Return what a study's results were made with, as plain data.

    There is no time and no name of a machine in it: the same run gives the same record.

    Parameters
    ----------
    study
        Name of the study.
    configuration
        Entries that the study uses, by kind and name.
    data
        Lists and manifests that it was computed from.
    results
        Tables and figures that it printed.
    """
    return {
        "study": study,
        "git": git_state(),
        "versions": {
            "python": platform.python_version(),
            "machine": platform.machine(),
            **package_versions(sorted((REPOSITORY / "envs").glob("*.lock.txt"))),
        },
        "configuration": configuration,
        "data_sha256": {path: file_digest(path) for path in sorted(set(data))},
        "results_sha256": {path: file_digest(path) for path in sorted(set(results))},
    }


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
