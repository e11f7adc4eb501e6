"""What is lost when a node, a job or the run itself goes away: nothing that was finished."""

import os
import signal
from pathlib import Path

import pytest

from tests.slurm.submission import Submission, wait_until
from tests.workflow.checkout import Checkout

pytestmark = pytest.mark.slurm
# More than the nodes have processors, so that some have to queue.
COUNT = 6
AUDIO = "results/audio/slow/tiny_train"
TARGETS = [f"{AUDIO}/{number:03d}.tsv" for number in range(COUNT)]
SYSTEM = "systems:\n  slow: {method: python, params: {function: 'slow:slow', path: .}}\n"
FUNCTION = """
import time

def slow(waveform, rate, speaker, gender, rng):
    time.sleep(4)
    return waveform
"""


@pytest.fixture
def shards(cluster, tmp_path):
    """A checkout with a dataset in six shards, and a system that takes its time over each."""
    checkout = Checkout(tmp_path / "bench")
    checkout.edit("tiny.yaml", "synth_train}, shards: 2", f"synth_train}}, shards: {COUNT}")
    tiny = checkout.folder / "tiny.yaml"
    tiny.write_text(tiny.read_text() + SYSTEM)
    (checkout.folder / "slow.py").write_text(FUNCTION)
    manifest = "results/data/tiny_train/manifest.tsv"
    checkout.run("--configfile", "tiny.yaml", "--", manifest)
    return checkout


def finished(checkout) -> dict[Path, int]:
    """Return when each file of each finished shard was written."""
    return {
        path: path.stat().st_mtime_ns
        for manifest in (checkout.folder / AUDIO).glob("*.tsv")
        for path in (manifest, *manifest.with_suffix("").iterdir())
    }


def manifest_of(job) -> str:
    """Return what a job makes; its comment ends with the wildcards, the shard last."""
    return f"{AUDIO}/{job['comment'].rpartition('_')[2]}.tsv"


def at_work(cluster, checkout) -> list[dict[str, str]]:
    """Return the running jobs whose shard has its first files but not its last."""
    return [
        job
        for job in cluster.running()
        if not (manifest := checkout.folder / manifest_of(job)).exists()
        if any(manifest.with_suffix("").glob("*.wav"))
    ]


def processes_of(job) -> list[Path]:
    """Return the processes of a job that run the copy of a rule's script."""
    mark = f"SLURM_JOB_ID={job['job']}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if mark in environment and b".anonymize_shard.py" in command:
            found.append(entry)
    return found


def test_a_drained_node_and_a_killed_job_cost_one_restart(cluster, shards):
    submission = Submission(cluster, shards, "--retries", "0", "--", *TARGETS)
    run = submission.start()
    working = wait_until(lambda: at_work(cluster, shards), "no job came to its work")
    victim = working[0]
    drained = next(name for name in ("n1", "n2") if name != victim["node"])
    cluster.ask("scontrol", "update", f"NodeName={drained}", "State=DRAIN", "Reason=test")
    try:
        before = {job["job"] for job in [*cluster.running(), *cluster.ended()]}
        killed = processes_of(victim)
        assert killed
        # Each job holds the libraries to its threads.
        assert all(b"OMP_NUM_THREADS=1\0" in (entry / "environ").read_bytes() for entry in killed)
        for entry in killed:
            os.kill(int(entry.name), signal.SIGKILL)
        assert submission.end(run) != 0
        written = finished(shards)
        missing = [target for target in TARGETS if not (shards.folder / target).exists()]
        assert missing == [manifest_of(victim)], submission.output()
        late = {job["job"] for job in cluster.ended() if job["node"] == drained} - before
        assert late == set()
        assert submission.run() == 0, submission.output()
        assert submission.submitted() == 1
        assert {path: path.stat().st_mtime_ns for path in written} == written
        assert (shards.folder / missing[0]).exists()
        assert cluster.states()[drained] == "drained"
    finally:
        cluster.ask("scontrol", "update", f"NodeName={drained}", "State=RESUME")


def test_a_killed_run_leaves_no_two_jobs_at_one_shard(cluster, shards):
    submission = Submission(cluster, shards, "--latency-wait", "5", "--", *TARGETS)
    run = submission.start()
    wait_until(lambda: at_work(cluster, shards), "no job came to its work")
    queued = COUNT - len(cluster.running())
    run.kill()
    run.wait()
    assert submission.run() != 0
    assert "jobs of an earlier run, which was killed, still write" in submission.output()
    # Running jobs end as they would have; queued ones find that their run is gone.
    wait_until(lambda: not cluster.ask("squeue", "--noheader"), "old jobs do not end")
    assert queued > 0
    assert len(list((shards.folder / AUDIO).glob("*.tsv"))) == COUNT - queued
    assert submission.run() == 0, submission.output()
    assert all((shards.folder / target).exists() for target in TARGETS)
