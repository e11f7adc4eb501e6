"""A Slurm cluster of three nodes on this machine: loopback only, all files in one folder."""

import os
import pwd
import shutil
import socket
import subprocess
import time
from pathlib import Path

# Processors of each node. Two are what a training asks for.
NODES = {"n1": 1, "n2": 1, "n3": 2}
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")
# Debian keeps the daemons out of a user's path.
SEARCH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])

CONFIGURATION = """\
ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
# Bind to the loopback address instead of to all of them.
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
# Nodes are as large as said below, whatever the machine has.
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=batch_sched_delay=0,sched_interval=2
ReturnToService=2
KillWait=2
MinJobAge=900
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing_programs() -> list[str]:
    return [name for name in PROGRAMS if shutil.which(name, path=SEARCH) is None]


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


class LocalCluster:
    """Three small nodes; they start with `start` and end with `stop`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.daemons: dict[str, subprocess.Popen] = {}
        host, user = socket.gethostname().split(".")[0], pwd.getpwuid(os.getuid()).pw_name
        port, *node_ports = free_ports(1 + len(NODES))
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={node_port}"
            f" CPUs={count} RealMemory=9000 State=UNKNOWN"
            for (name, count), node_port in zip(NODES.items(), node_ports, strict=True)
        )
        for name in ("bin", "state", *(f"spool-{node}" for node in NODES)):
            (folder / name).mkdir()
        text = CONFIGURATION.format(host=host, port=port, folder=folder, user=user, nodes=nodes)
        (folder / "slurm.conf").write_text(text)
        # The executor plugin takes SLURM_CONF away from the srun inside a job: give it back.
        srun = folder / "bin" / "srun"
        real = shutil.which("srun", path=SEARCH)
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {real} "$@"\n')
        srun.chmod(0o755)

    def settings(self) -> dict[str, str]:
        """Return the environment variables that make Slurm's commands use this cluster."""
        path = f"{self.folder}/bin{os.pathsep}{SEARCH}"
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    def start(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        files = [
            f"--{what}-file={self.folder}/munge.{what}" for what in ("key", "log", "pid", "seed")
        ]
        self._launch("munged", "munged", "-F", "-f", f"--socket={self.folder}/munge.socket", *files)
        self._wait(lambda: (self.folder / "munge.socket").exists(), 10, "munged has no socket")
        self._launch("slurmctld", "slurmctld", "-D")
        # What runs on a node sees as many cores as the node is said to have.
        cores = sorted(map(str, os.sched_getaffinity(0)))
        for number, (node, count) in enumerate(NODES.items()):
            some = ",".join(cores[(number + k) % len(cores)] for k in range(count))
            self._launch(node, "taskset", "--cpu-list", some, "slurmd", "-D", "-N", node)
        up = dict.fromkeys(NODES, "idle")
        self._wait(lambda: self.states() == up, 60, "the nodes do not come up")

    def _launch(self, name: str, *command: str) -> None:
        # The kernel ends the daemon if the tests die before they could.
        with (self.folder / f"{name}.out").open("wb") as output:
            self.daemons[name] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", *command],
                env=os.environ | self.settings(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _wait(self, ready, seconds: float, problem: str) -> None:
        deadline = time.monotonic() + seconds
        while not ready():
            dead = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if dead or time.monotonic() > deadline:
                raise RuntimeError(f"{problem}; ended: {dead or 'none'}\n{self.logs()}")
            time.sleep(0.2)

    def logs(self) -> str:
        files = sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")])
        return "\n".join(f"== {file.name}\n{file.read_text()[-1500:]}" for file in files)

    def ask(self, *command: str) -> str:
        """Run one of Slurm's commands and return what it says, or nothing if it fails."""
        done = subprocess.run(
            command, env=os.environ | self.settings(), capture_output=True, text=True, timeout=60
        )
        return done.stdout if done.returncode == 0 else ""

    def states(self) -> dict[str, str]:
        lines = self.ask("sinfo", "--Node", "--noheader", "--format=%N %T").splitlines()
        return dict(line.split() for line in lines)

    def running(self) -> list[dict[str, str]]:
        """Return id, node and comment (rule and wildcards) of every running job."""
        return self._jobs("RUNNING")

    def ended(self) -> list[dict[str, str]]:
        """Return the same of every job that ended, well or not."""
        return self._jobs("COMPLETED,FAILED,CANCELLED")

    def _jobs(self, states: str) -> list[dict[str, str]]:
        lines = self.ask("squeue", "--noheader", f"--states={states}", "--format=%i|%N|%k")
        keys = ("job", "node", "comment")
        return [dict(zip(keys, line.split("|"), strict=True)) for line in lines.splitlines()]

    def stop(self) -> None:
        """End all jobs, then the daemons that `start` started."""
        try:
            if self.ask("scontrol", "ping"):
                self.ask("scancel", "--full", "--signal=KILL", "--state=RUNNING")
                self.ask("scancel", "--state=PENDING")
                deadline = time.monotonic() + 30
                while self.ask("squeue", "--noheader") and time.monotonic() < deadline:
                    time.sleep(0.3)
        finally:
            for daemon in reversed(self.daemons.values()):
                daemon.terminate()
            for daemon in self.daemons.values():
                try:
                    daemon.wait(15)
                except subprocess.TimeoutExpired:
                    daemon.kill()
                    daemon.wait()
