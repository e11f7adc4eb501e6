import subprocess
from importlib import metadata

from scripts.lib.run_record import git_state, package_versions, run_record


def git(folder, *arguments):
    settings = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    done = subprocess.run(["git", "-C", folder, *settings, *arguments], capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().strip()


def test_revision_and_changed_files_are_told(tmp_path):
    assert git_state(tmp_path) == {"revision": None, "changed": []}
    git(tmp_path, "init", "--quiet")
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "first")
    revision = git(tmp_path, "rev-parse", "HEAD")
    assert git_state(tmp_path) == {"revision": revision, "changed": []}
    (tmp_path / "b.txt").write_text("2")
    assert git_state(tmp_path) == {"revision": revision, "changed": ["b.txt"]}


def test_versions_are_those_installed_not_those_locked(tmp_path):
    (tmp_path / "x.lock.txt").write_text(
        "numpy==0.0.1\nno-such-package==1.0 ; python_version>'3'\n"
    )
    assert package_versions([tmp_path / "x.lock.txt"]) == {"numpy": metadata.version("numpy")}


def test_the_same_run_gives_the_same_record(tmp_path):
    (tmp_path / "list").write_text("a")
    files = [str(tmp_path / "list")] * 2
    first = run_record("demo", {"systems": {}}, files, [])
    assert first == run_record("demo", {"systems": {}}, files, [])
    # SHA-256 of the letter a.
    (digest,) = first["data_sha256"].values()
    assert digest.startswith("ca978112ca1bbdca")
