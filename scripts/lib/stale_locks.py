"""Take away the locks that a killed run left behind, but never those of a running one.

Snakemake locks a folder with files, which outlive a kill and would make the next run ask for a
manual `--unlock`. The kernel's own lock ends with its process, so it tells the two cases apart.
"""

import fcntl
from pathlib import Path
from typing import IO

_held: list[IO] = []


def release_stale_locks(folder: str | Path) -> bool:
    """Hold the kernel's lock of a workflow for this process, and clear what dead ones left.

    Parameters
    ----------
    folder
        The folder `.snakemake` of the run.

    Returns
    -------
    bool
        Whether this process is the only run. If another one lives, its locks stay.
    """
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    stream = (folder / "running").open("w")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        return False
    # Kept open until the process ends; closing it would give the lock away.
    _held.append(stream)
    for lock in (folder / "locks").glob("*.lock"):
        lock.unlink(missing_ok=True)
    return True
