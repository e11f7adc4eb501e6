"""Say which repository files a step depends on, so that editing one reruns what uses it."""

import ast
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

# No result depends on these modules: a new log format must not rerun the world.
IGNORED = frozenset({"scripts/lib/joblog.py"})
LOCKS = {
    "pretrained": ("envs/analysis.lock.txt", "envs/torch.lock.txt", "envs/pretrained.lock.txt"),
    "torch": ("envs/analysis.lock.txt", "envs/torch.lock.txt"),
    "analysis": ("envs/analysis.lock.txt",),
}
# The first that holds for something imported decides.
_LOCK_OF = {
    "pretrained": frozenset({"resemblyzer", "transformers"}),
    "torch": frozenset({"torch", "torchaudio", "speechbrain"}),
}


def source_files(script: str, root: str | Path = ".") -> list[str]:
    """Return a script, the modules below `scripts/` it imports, and its lock files.

    Parameters
    ----------
    script
        Path of the script below `root`.
    root
        The repository.

    Examples
    --------
    >>> source_files("scripts/lib/seeding.py")
    ['envs/analysis.lock.txt', 'scripts/lib/seeding.py']
    """
    root = Path(root)
    found: set[str] = set()
    packages: set[str] = set()
    queue = [script]
    while queue:
        file = queue.pop()
        if file in found or file in IGNORED:
            continue
        found.add(file)
        for module in _imports(root / file):
            packages.add(module.split(".")[0])
            queue.extend(_files_of(module, root))
    lock = next((name for name, heavy in _LOCK_OF.items() if packages & heavy), "analysis")
    return sorted(found | {name for name in LOCKS[lock] if (root / name).is_file()})


@cache
def _imports(path: Path) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            # `from package import name` may name a module or an object: try both.
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(names)


def _files_of(module: str, root: Path) -> list[str]:
    parts = module.split(".")
    if parts[0] != "scripts":
        return []
    files = [Path(*parts).with_suffix(".py")]
    # Importing a module runs the __init__ of each package above it.
    files += [Path(*parts[:depth], "__init__.py") for depth in range(1, len(parts) + 1)]
    return [file.as_posix() for file in files if (root / file).is_file()]


def fingerprint(config: Mapping, data: Iterable[str], sources: Iterable[str]) -> str:
    """Return a digest of configuration, data and code: what a checkpoint is valid for.

    Parameters
    ----------
    config
        Plain data.
    data
        Hashes of the training utterances.
    sources
        Files whose content counts.
    """
    digest = hashlib.sha256(json.dumps(config, sort_keys=True).encode())
    for item in data:
        digest.update(item.encode())
    for file in sorted(sources):
        digest.update(Path(file).read_bytes())
    return digest.hexdigest()


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits."""
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
