import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.slurm.local_cluster import LocalCluster, missing_programs
from tests.slurm.submission import PLUGINS

INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends", "slurm-wlm", "munge")


def install_slurm() -> str:
    """Install Debian's packages, and return why that cannot be done, or nothing."""
    if os.getuid() != 0:
        return "not root"
    if shutil.which("apt-get") is None:
        return "no apt-get"
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in (("apt-get", "update"), INSTALL):
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, timeout=240
            )
        except subprocess.TimeoutExpired:
            return f"{' '.join(command)} takes too long"
        if done.returncode != 0:
            return f"{' '.join(command)}: {done.stderr.strip().splitlines()[-1:]}"
    return ""


@pytest.fixture(scope="session")
def cluster():
    """A Slurm cluster of three nodes that lives as long as the tests."""
    if not PLUGINS.is_dir():
        pytest.skip(f"no executor plugins in {PLUGINS}: run `make test-slurm`")
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core only: the bits of a training depend on its threads, which are two")
    if missing_programs():
        problem = install_slurm()
        if missing_programs():
            pytest.skip(f"no {', '.join(missing_programs())}, cannot install Slurm: {problem}")
    # Not pytest's folder: a socket's path must be short, and munged wants to know who owns it.
    folder = Path(tempfile.mkdtemp(prefix="bench-slurm-", dir="/tmp"))
    folder.chmod(0o755)
    cluster = LocalCluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
