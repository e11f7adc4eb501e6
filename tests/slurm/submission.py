"""Run the workflow of a checkout on the local cluster."""

import re
import subprocess
import sys
import time
from pathlib import Path

from tests.slurm.local_cluster import LocalCluster
from tests.workflow.checkout import REPOSITORY, Checkout

PLUGINS = REPOSITORY / ".venv" / "cluster"
TIMEOUT_S = 300
# A site with small nodes and without GPUs.
SITE = {"BENCH_CORES": "2", "BENCH_GPUS": "0", "BENCH_SECONDS_BETWEEN_CHECKS": "2"}
# Asking after 40 s, as the plugin does unless told, is for jobs that last longer.
OFTEN = {"slurm": ("--slurm-init-seconds-before-status-checks", "9"), "cluster-generic": ()}


class Submission:
    """One command that is run on the cluster, once or several times."""

    def __init__(
        self, cluster: LocalCluster, checkout: Checkout, *arguments: str, profile: str = "slurm"
    ):
        self.checkout = checkout
        plugins = {"PYTHONPATH": str(PLUGINS)}
        self.environment = checkout.environment() | cluster.settings() | SITE | plugins
        profile_folder = ("--workflow-profile", f"profiles/{profile}")
        settings = (*profile_folder, *OFTEN[profile], "--configfile", "tiny.yaml")
        self.command = [sys.executable, "-m", "snakemake", *settings, *arguments]
        self.log = Path(checkout.folder) / "submission.log"

    def start(self) -> subprocess.Popen:
        with self.log.open("w") as output:
            return subprocess.Popen(
                self.command,
                cwd=self.checkout.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def run(self) -> int:
        return self.end(self.start())

    def end(self, process: subprocess.Popen) -> int:
        """Wait for the run to end, and return its exit code."""
        try:
            return process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"no end after {TIMEOUT_S} s:\n{self.output()}") from None

    def output(self) -> str:
        return self.log.read_text()

    def submitted(self) -> int:
        """Return how many jobs the last run submitted, groups counted once."""
        return len(re.findall(r"submitted with SLURM jobid|with external jobid", self.output()))


def wait_until(ready, problem: str, seconds: float = 120):
    """Return the first true value of `ready()`."""
    deadline = time.monotonic() + seconds
    while not (value := ready()):
        assert time.monotonic() < deadline, problem
        time.sleep(0.05)
    return value
