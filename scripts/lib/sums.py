"""List the checksums of a corpus, which say that it is complete and what it holds."""

from pathlib import Path

from scripts.lib.files import atomic_path
from scripts.lib.provenance import file_digest


def write_sums(data: str | Path, sums: str | Path) -> None:
    """List the SHA-256 of every file below a folder, sorted by path, as `sha256sum` prints it."""
    data = Path(data)
    names = sorted(file.relative_to(data).as_posix() for file in data.rglob("*") if file.is_file())
    with atomic_path(sums) as temporary:
        lines = (f"{file_digest(data / name)}  {name}\n" for name in names)
        temporary.write_text("".join(lines), encoding="utf-8")
