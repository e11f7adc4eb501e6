import subprocess
import sys

import pytest

from scripts.lib.stale_locks import StillRunningError, release_stale_locks

HOLD = (
    "import sys; from scripts.lib.stale_locks import {name};"
    "print({name}(sys.argv[1]), flush=True); sys.stdin.read()"
)


def make_locks(folder):
    (folder / "locks").mkdir(parents=True, exist_ok=True)
    (folder / "locks" / "0.output.lock").write_text("results/x\n")


def start_holder(folder, name):
    """Start a process that takes a lock, and return it once it holds it."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD.format(name=name), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() in ("True\n", "None\n")
    return process


def end(process):
    process.kill()
    process.wait()


def test_locks_of_a_killed_run_go_and_those_of_a_living_one_stay(tmp_path):
    folder = tmp_path / ".snakemake"
    make_locks(folder)
    other = start_holder(folder, "release_stale_locks")
    assert list((folder / "locks").iterdir()) == []
    make_locks(folder)
    assert not release_stale_locks(folder)
    assert list((folder / "locks").iterdir()) != []
    end(other)
    assert release_stale_locks(folder)
    assert list((folder / "locks").iterdir()) == []


def test_jobs_of_a_killed_run_keep_the_next_one_out(tmp_path):
    folder = tmp_path / ".snakemake"
    make_locks(folder)
    jobs = [start_holder(folder, "hold_job_lock") for _ in range(2)]
    end(jobs[0])
    with pytest.raises(StillRunningError, match="wait until they end or cancel them"):
        release_stale_locks(folder)
    assert list((folder / "locks").iterdir()) != []
    end(jobs[1])


def test_jobs_of_a_living_run_do_not_hinder_it(tmp_path):
    folder = tmp_path / ".snakemake"
    make_locks(folder)
    run = start_holder(folder, "release_stale_locks")
    job = start_holder(folder, "hold_job_lock")
    assert not release_stale_locks(folder)
    end(job)
    end(run)


def test_what_queued_jobs_of_a_killed_run_wait_for_goes(tmp_path):
    folder = tmp_path / ".snakemake"
    make_locks(folder)
    (folder / "tmp.abc").mkdir()
    run = start_holder(folder, "release_stale_locks")
    assert not (folder / "tmp.abc").exists()
    (folder / "tmp.def").mkdir()
    assert not release_stale_locks(folder)
    assert (folder / "tmp.def").exists()
    end(run)
