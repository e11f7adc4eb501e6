"""Take away what a killed run left behind, but nothing of a running one.

Snakemake locks a folder with files, which outlive a kill and would make the next run ask for a
manual `--unlock`. The kernel's own lock ends with its process, so it tells the two cases apart.
On a cluster, the jobs of a killed run live on: they hold a lock of their own, and those still
queued give up when the folder is gone that they were submitted with.
"""

import fcntl
import shutil
from pathlib import Path
from typing import IO

_held: list[IO] = []


class StillRunningError(Exception):
    """Jobs of a killed run still write into the folder."""


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
    if not _lock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB):
        stream.close()
        return False
    # Kept open until the process ends; closing it would give the lock away.
    _held.append(stream)
    for submitted in folder.glob("tmp.*"):
        shutil.rmtree(submitted, ignore_errors=True)
    with (folder / "jobs").open("w") as jobs:
        if not _lock(jobs, fcntl.LOCK_EX | fcntl.LOCK_NB):
            raise StillRunningError(
                "jobs of an earlier run, which was killed, still write into this folder: wait "
                "until they end or cancel them (on Slurm with scancel), then start again"
            )
    for lock in (folder / "locks").glob("*.lock"):
        lock.unlink(missing_ok=True)
    return True


def hold_job_lock(folder: str | Path) -> None:
    """Show for the length of this process that a submitted job of the workflow runs."""
    stream = (Path(folder) / "jobs").open("a")
    _lock(stream, fcntl.LOCK_SH)
    _held.append(stream)


def _lock(stream: IO, how: int) -> bool:
    try:
        fcntl.flock(stream, how)
    except OSError:
        return False
    return True
