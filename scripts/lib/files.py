"""Write files so that a reader sees the whole file or none of it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PROBE = 65_536


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary sibling of `path` that takes its place once the block succeeds.

    Parameters
    ----------
    path
        Where the file shall stand. Its folder is created.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "a.txt") as temporary:
    ...     _ = temporary.write_text("done")
    >>> [file.name for file in folder.iterdir()]
    ['a.txt']
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The suffix stays last, because writers such as soundfile choose the format by it.
        prefix = f".{path.stem}."
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=path.suffix, dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except Exception as error:
        # Writers word a full disk each in their own way, some without naming it.
        reason = _refusal(temporary)
        if reason is None:
            raise
        raise _unwritable(path, reason) from error
    finally:
        temporary.unlink(missing_ok=True)


def _refusal(file: Path) -> OSError | None:
    """Return why nothing more can be written to a file, if so."""
    try:
        with file.open("ab") as stream:
            stream.write(bytes(_PROBE))
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        return error
    return None


def _unwritable(path: Path, error: OSError) -> OSError:
    return OSError(
        error.errno,
        f"{path}: cannot be written ({error.strerror}); make room or allow writing there, then run "
        "the same command again: finished files are kept, and nothing half-written is",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
