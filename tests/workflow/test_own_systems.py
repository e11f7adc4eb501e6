"""Systems that only a user's YAML defines, as docs/own-systems.md walks through them."""

import os
import shutil
import subprocess
import time

import numpy as np
import pytest
import soundfile

from scripts.lib.audio import read_audio
from scripts.lib.manifest import read_manifests, read_table
from tests.workflow.own_systems import commands_on_page, message_on_page, set_the_scene

MINE = ("--configfile", "mine.yaml", "--")
SYSTEMS = ("studio", "ring", "tempo")
SHARDS = [f"results/audio/{system}/mine_test/{n:03d}.tsv" for system in SYSTEMS for n in range(2)]


@pytest.fixture(scope="module")
def anonymized(tmp_path_factory):
    """The scene of the page with all test data anonymized by all three systems."""
    checkout = set_the_scene(tmp_path_factory.mktemp("own"))
    checkout.run(*MINE, *SHARDS)
    return checkout


@pytest.fixture
def copy_of_anonymized(anonymized, tmp_path):
    """Return a private copy of it, times kept, to change at will."""
    shutil.copytree(anonymized.folder.parent, tmp_path / "own", symlinks=True)
    copy = object.__new__(type(anonymized))
    copy.folder = tmp_path / "own" / "bench"
    return copy


def planned(checkout) -> set[tuple[str, str | None]]:
    return {(job["rule"], job.get("system")) for job in checkout.planned(*MINE, *SHARDS)}


def shard_manifest(checkout, system):
    folder = checkout.folder / "results" / "audio" / system / "mine_test"
    return read_manifests(sorted(folder.glob("*.tsv")))


@pytest.mark.slow
def test_the_page_runs_as_it_stands(tmp_path):
    checkout = set_the_scene(tmp_path)
    commands = commands_on_page()
    assert len(commands) == 4
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd=checkout.folder,
            env=checkout.environment(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    cells = read_table(checkout.folder / "results" / "mine" / "tables" / "table_03.tsv")
    assert set(cells["system"]) == {"orig", *SYSTEMS}
    assert cells[cells["metric"] == "eer"]["value"].astype(float).between(0, 1).all()
    assert checkout.planned(*MINE, "results/mine/tables/table_03.tsv") == []


def test_external_audio_is_taken_over_sample_by_sample(anonymized):
    table = shard_manifest(anonymized, "studio")
    assert len(table) == 16
    for row in table.itertuples():
        original = read_audio(anonymized.folder.parent / "speech" / "wav" / f"{row.utterance}.wav")
        assert np.array_equal(read_audio(anonymized.folder / row.path), -original)


def test_what_a_program_prints_is_in_the_job_s_log(anonymized):
    log = anonymized.folder / "results/logs/anonymize_shard/ring/mine_test/000.log"
    spoken = [line.split("| ")[1] for line in log.read_text().splitlines() if "| " in line]
    assert len(spoken) == 8
    assert all(line.endswith(" Hz") for line in spoken)


@pytest.mark.slow
def test_shards_change_no_byte(copy_of_anonymized):
    before = {system: shard_manifest(copy_of_anonymized, system) for system in SYSTEMS}
    copy_of_anonymized.edit("mine.yaml", "trials_m: trials_m}, shards: 2", "trials_m: trials_m}")
    for system in SYSTEMS:
        shutil.rmtree(copy_of_anonymized.folder / "results" / "audio" / system)
    copy_of_anonymized.run(*MINE, *(path for path in SHARDS if "000" in path))
    for system in SYSTEMS:
        after = shard_manifest(copy_of_anonymized, system)
        assert list(after["sha256"]) == list(before[system]["sha256"])


@pytest.mark.slow
def test_only_a_changed_file_of_the_user_reruns_its_system(copy_of_anonymized):
    place = copy_of_anonymized.folder.parent
    audio = sorted((place / "anonymized" / "test").iterdir())
    later = time.time() + 5

    def touch(*paths):
        for path in paths:
            os.utime(path, (later, later))

    touch(*audio, *(place / "tools").iterdir())
    assert planned(copy_of_anonymized) == set()
    soundfile.write(audio[0], np.zeros(16000), 16000)
    touch(audio[0])
    expected = {("index_external", "studio"), ("anonymize_shard", "studio")}
    assert planned(copy_of_anonymized) == expected
    copy_of_anonymized.edit("../tools/ring.py", "uniform(30, 60)", "uniform(30, 50)")
    touch(place / "tools" / "ring.py")
    expected.add(("anonymize_shard", "ring"))
    assert planned(copy_of_anonymized) == expected
    copy_of_anonymized.edit("../tools/voices.py", "uniform(0.8, 1.25)", "uniform(0.9, 1.1)")
    touch(place / "tools" / "voices.py")
    expected.add(("anonymize_shard", "tempo"))
    assert planned(copy_of_anonymized) == expected


@pytest.mark.slow
def test_one_file_more_or_less_reruns_the_check(copy_of_anonymized):
    folder = copy_of_anonymized.folder.parent / "anonymized" / "test"
    shutil.copy(folder / "f1-e0.wav", folder / "f9-e0.wav")
    expected = {("index_external", "studio"), ("anonymize_shard", "studio")}
    assert planned(copy_of_anonymized) == expected
    (folder / "f9-e0.wav").unlink()
    assert planned(copy_of_anonymized) == set()
    (folder / "f1-e0.wav").unlink()
    assert planned(copy_of_anonymized) == expected


@pytest.mark.slow
def test_a_place_for_another_dataset_reruns_nothing(copy_of_anonymized):
    copy_of_anonymized.edit(
        "mine.yaml",
        "audio: {mine_test: ../anonymized/test}",
        "audio: {mine_test: ../anonymized/test, mine_train: ../anonymized/train}",
    )
    assert planned(copy_of_anonymized) == set()


def test_the_check_stops_with_the_message_of_the_page(copy_of_anonymized):
    folder = copy_of_anonymized.folder.parent / "anonymized" / "test"
    (folder / "f1-e1.wav").unlink()
    (folder / "f1-e0.wav").rename(folder / "f9-e0.wav")
    target = "results/audio/studio/mine_test/000.tsv"
    done = copy_of_anonymized.run(*MINE, target, check=False)
    assert done.returncode != 0
    assert message_on_page() in done.stdout + done.stderr
    assert not (copy_of_anonymized.folder / "results/external/studio/mine_test.tsv").exists()


def test_a_missing_output_fails_the_job_by_name(copy_of_anonymized):
    copy_of_anonymized.edit(
        "../tools/ring.py",
        "        samples, rate",
        "        if row['utterance'] == 'f2-t1': continue\n        samples, rate",
    )
    done = copy_of_anonymized.run(*MINE, *SHARDS[2:4], check=False)
    assert done.returncode != 0
    assert "missing: 1 (f2-t1)" in done.stdout + done.stderr
    written = copy_of_anonymized.folder / "results" / "audio" / "ring" / "mine_test"
    assert not (written / "001.tsv").exists()
    assert not (written / "001").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mine_test: ../anonymized/test", "mine_tset: x", "no place for dataset mine_test, only"),
        ("voices:tempo", "vocies:tempo", "system tempo: no module vocies; looked for ../tools/voc"),
    ],
)
def test_a_mistake_in_an_entry_is_named_before_anything_runs(
    anonymized, tmp_path, old, new, message
):
    text = (anonymized.folder / "mine.yaml").read_text()
    assert old in text
    path = tmp_path / "mistaken.yaml"
    path.write_text(text.replace(old, new))
    done = anonymized.run("--dry-run", "--configfile", str(path), "--", *SHARDS, check=False)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
