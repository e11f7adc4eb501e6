"""Where a run writes, and what it does when it cannot."""

import json
import os
import subprocess

import pytest

from tests.factories import make_evaluation_set

pytestmark = pytest.mark.slow
PRINTED = {
    "study": "printed",
    "studies": {
        "printed": {
            "title": "Printed values",
            "source": "published",
            "datasets": {"dev": ["libri_dev"], "test": ["libri_test"]},
            "systems": ["orig", "b2"],
            "tables": ["table_03"],
            "figures": ["figure_15"],
        }
    },
}


def test_nothing_is_written_outside_results_and_the_cache(checkout, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    (checkout.folder / "printed.json").write_text(json.dumps(PRINTED))
    before = {path.name for path in checkout.folder.iterdir()}
    environment = {
        **{k: v for k, v in checkout.environment().items() if k != "XDG_CACHE_HOME"},
        "HOME": str(home),
    }
    monkeypatch.setattr(checkout, "environment", lambda: environment)
    checkout.run("--configfile", "printed.json")
    # Snakemake itself leaves empty folders in the user's cache.
    assert [path for path in home.rglob("*") if path.is_file()] == []
    made = {path.name for path in checkout.folder.iterdir()} - before
    assert made == {"results", ".snakemake"}
    assert list((checkout.folder / "results" / "cache").rglob("fontlist*"))


def mount(folder, *options):
    command = ["mount", "-o", ",".join(options), "-t", "tmpfs", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture
def shards(checkout):
    """Results on a disk of their own, and the shards to make there."""
    config = {
        "corpora": str(checkout.folder / "corpora"),
        "datasets": {
            "tones": {"subsets": make_evaluation_set(checkout.folder / "corpora"), "shards": 2}
        },
    }
    (checkout.folder / "tones.json").write_text(json.dumps(config))
    results = checkout.folder / "results"
    results.mkdir()
    if os.geteuid() != 0 or not mount(results, "size=400k"):
        pytest.skip("a small disk can be mounted by root only, where mounting is allowed")
    yield [f"results/audio/orig/tones/{shard}.tsv" for shard in ("000", "001")]
    subprocess.run(["umount", str(results)], check=True)


def test_a_full_disk_stops_the_run_which_goes_on_once_there_is_room(checkout, shards):
    done = checkout.run("--configfile", "tones.json", "--", *shards, check=False)
    assert done.returncode != 0
    assert "cannot be written (No space left on device); make room" in done.stdout + done.stderr
    made = [path for path in shards if (checkout.folder / path).exists()]
    assert len(made) < 2
    subprocess.run(
        ["mount", "-o", "remount,size=50m", str(checkout.folder / "results")], check=True
    )
    checkout.run("--configfile", "tones.json", "--", *shards)
    assert all((checkout.folder / path).exists() for path in shards)
    assert not list((checkout.folder / "results" / "audio").rglob(".*.wav"))


def test_results_that_must_not_be_written_to_stop_the_run(checkout, shards):
    results = checkout.folder / "results"
    subprocess.run(["mount", "-o", "remount,ro", str(results)], check=True)
    done = checkout.run("--configfile", "tones.json", "--", *shards, check=False)
    subprocess.run(["mount", "-o", "remount,rw", str(results)], check=True)
    assert done.returncode != 0
    assert "Read-only file system: " in done.stdout + done.stderr
    assert list(results.iterdir()) == []
