import subprocess
import sys

from scripts.lib.stale_locks import release_stale_locks

HOLD = (
    "import sys; from scripts.lib.stale_locks import release_stale_locks;"
    "print(release_stale_locks(sys.argv[1]), flush=True); sys.stdin.read()"
)


def make_locks(folder):
    (folder / "locks").mkdir(parents=True, exist_ok=True)
    (folder / "locks" / "0.output.lock").write_text("results/x\n")


def test_locks_of_a_killed_run_go_and_those_of_a_living_one_stay(tmp_path):
    folder = tmp_path / ".snakemake"
    make_locks(folder)
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout.readline() == "True\n"
    assert list((folder / "locks").iterdir()) == []
    make_locks(folder)
    assert not release_stale_locks(folder)
    assert list((folder / "locks").iterdir()) != []
    other.kill()
    other.wait()
    assert release_stale_locks(folder)
    assert list((folder / "locks").iterdir()) == []
