"""The whole workflow on the smallest study: results, resumption, determinism."""

import signal
import subprocess
import time

import pytest

from scripts.lib.manifest import read_table

pytestmark = pytest.mark.slow
STUDY = ("--configfile", "tiny.yaml")


def start_and_kill(checkout, ready, *arguments: str) -> None:
    """Start a run, wait until `ready()`, and kill it with everything it started."""
    process = subprocess.Popen(
        checkout.command(*STUDY, *arguments),
        cwd=checkout.folder,
        env=checkout.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 300
    while not ready():
        assert process.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run never came to the point of the kill"
        time.sleep(0.02)
    subprocess.run(["pkill", "-KILL", "-s", str(process.pid)], check=False)
    process.send_signal(signal.SIGKILL) if process.poll() is None else None
    process.wait()


def files_below(folder, *names):
    return {
        path.relative_to(folder): path.read_bytes()
        for name in names
        for path in sorted((folder / "results" / name).rglob("*"))
        if path.is_file()
    }


def test_tables_and_figures_are_there(finished):
    folder = finished.folder / "results" / "tiny"
    for name in ("table_03", "table_09", "table_11", "table_2024_07", "table_2024_08"):
        for form in ("tsv", "md", "tex"):
            assert (folder / "tables" / f"{name}.{form}").stat().st_size > 0
    for name in ("figure_03", "figure_12", "figure_15"):
        assert (folder / "figures" / f"{name}.pdf").stat().st_size > 0
    assert "## Models" in (folder / "attackers.md").read_text()
    cells = read_table(folder / "tables" / "table_03.tsv")
    assert set(cells["system"]) == {"orig", "b2", "b2_2024"}
    assert (cells["definition"] != "").all()
    eer = cells[cells["metric"] == "eer"]["value"].astype(float)
    assert eer.between(0, 1).all()


def test_same_seed_gives_the_same_bytes_whatever_the_shards(finished, checkout):
    checkout.edit("tiny.yaml", "{train: synth_train}, shards: 2", "{train: synth_train}, shards: 3")
    checkout.run(*STUDY)
    names = ("scores", "transcripts", "emotions", "tiny/tables")
    assert files_below(checkout.folder, *names) == files_below(finished.folder, *names)


def test_killed_in_anonymization_goes_on_with_the_open_shards(checkout):
    checkout.edit(
        "tiny.yaml",
        "speakers_per_gender: 2, utterances: 4",
        "speakers_per_gender: 2, utterances: 20",
    )
    folder = checkout.folder / "results" / "audio" / "b2" / "tiny_train"
    targets = [f"results/audio/b2/tiny_train/{shard}.tsv" for shard in ("000", "001")]

    def in_second_shard():
        begun = {path.parent.name for path in folder.glob("*/*.wav")}
        return len(begun) == 2 and len(list(folder.glob("*.tsv"))) == 1

    start_and_kill(checkout, in_second_shard, "--cores", "1", "--", *targets)
    (finished_shard,) = folder.glob("*.tsv")
    written = finished_shard.stat().st_mtime_ns
    checkout.run(*STUDY, "--", *targets)
    assert finished_shard.stat().st_mtime_ns == written
    assert len(list(folder.glob("*.tsv"))) == 2


def test_killed_in_training_goes_on_after_the_last_epoch(finished, checkout):
    checkout.edit("tiny.yaml", "epochs: 3", "epochs: 40")
    folder = checkout.folder / "results" / "asv" / "tiny_ecapa" / "orig" / "0"
    target = "results/asv/tiny_ecapa/orig/0/model.pt"
    start_and_kill(checkout, (folder / "checkpoint.pt").exists, "--", target)
    checkout.run(*STUDY, "--", target)
    log = checkout.folder / "results/logs/train_asv/tiny_ecapa/orig/0.log"
    assert "going on after epoch" in log.read_text()
    assert len(read_table(folder / "curve.tsv")) == 40
    assert not (folder / "checkpoint.pt").exists()


def test_the_workflow_runs_from_another_folder(finished, tmp_path):
    done = subprocess.run(
        finished.command(
            "--snakefile",
            str(finished.folder / "Snakefile"),
            "--directory",
            str(tmp_path),
            "--configfile",
            str(finished.folder / "tiny.yaml"),
            "--",
            "results/data/tiny_test/trials_f.tsv",
        ),
        cwd=tmp_path,
        env=finished.environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    produced = tmp_path / "results" / "data" / "tiny_test" / "trials_f.tsv"
    expected = finished.folder / "results" / "data" / "tiny_test" / "trials_f.tsv"
    assert produced.read_bytes() == expected.read_bytes()
