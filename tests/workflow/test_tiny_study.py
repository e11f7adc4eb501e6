"""The whole workflow on the smallest study: results, resumption, determinism."""

import json
import signal
import subprocess
import time
from importlib import metadata

import pytest

from scripts.lib.manifest import read_parts, read_table
from scripts.lib.provenance import file_digest

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


def test_the_record_names_data_configuration_and_results(finished):
    folder = finished.folder / "results"
    record = json.loads((folder / "tiny" / "provenance.json").read_text())
    for kind in ("data_sha256", "results_sha256"):
        assert record[kind]
        for name, digest in record[kind].items():
            assert file_digest(finished.folder / name) == digest
    assert "results/data/tiny_train/manifest.tsv" in record["data_sha256"]
    assert set(record["configuration"]["systems"]) == {"orig", "b2", "b2_2024"}
    assert record["configuration"]["asv"]["tiny_ecapa"]["channels"] == 16
    assert record["versions"]["snakemake"] == metadata.version("snakemake")


def test_every_job_of_the_study_is_in_its_benchmarks(finished):
    table = read_table(finished.folder / "results" / "tiny" / "benchmarks.tsv")
    jobs = table.set_index(["rule", "system"])["jobs"].astype(int)
    # Two shards of training data, one each of test and emotion.
    assert jobs["anonymize_shard", "b2"] == 4
    assert jobs["train_asv"].to_dict() == {"orig": 1, "b2": 1, "b2_2024": 1}
    assert jobs["make_table"].sum() == 5
    assert (table["wall_s"].astype(float) > 0).all()


def test_same_seed_gives_the_same_bytes_whatever_the_shards_and_storage(finished, checkout):
    stored = "{train: synth_train}, format: flac, keep_audio: false, shards: 3"
    checkout.edit("tiny.yaml", "{train: synth_train}, shards: 2", stored)
    checkout.edit("tiny.yaml", "folds: 2}", "folds: 2, shards: 2, parts: 2}")
    checkout.edit("tiny.yaml", "  tiny_test:\n", "  tiny_test:\n    shards: 5\n    parts: 3\n")
    checkout.run(*STUDY)
    audio = checkout.folder / "results" / "audio"
    assert list(audio.glob("*/tiny_test/*/*.wav"))
    assert len(list(audio.glob("*/tiny_train/*.tsv"))) == 3 * 3
    assert not [path for path in audio.glob("*/tiny_train/*") if path.is_dir()]
    assert checkout.planned(*STUDY) == []
    names = ("scores", "similarity", "metrics", "tiny/tables", "tiny/figures")
    assert files_below(checkout.folder, *names) == files_below(finished.folder, *names)
    for kind, parts in (("transcripts", 3), ("emotions", 2)):
        for folder in {path.parent for path in (finished.folder / "results" / kind).rglob("*.tsv")}:
            own = sorted((checkout.folder / folder.relative_to(finished.folder)).glob("*.tsv"))
            assert len(own) == parts
            assert read_parts(own).equals(read_parts(folder.glob("*.tsv")))


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
