import csv
import json
import logging
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from scripts.lib.audio import read_audio
from scripts.lib.systems import command
from scripts.lib.user_files import files_of_system
from tests.unit.systems.own_shards import make_manifest, make_shard

# What every program below starts with: `rows` is the list, `copy` answers one line of it.
HEAD = """
import csv, os, pathlib, shutil, sys, time
inputs, outputs, *rest = sys.argv[1:]
rows = list(csv.DictReader(open(inputs), delimiter="\\t"))
def copy(row):
    shutil.copy(row["input"], row["output"])
"""
COPY_ALL = "for row in rows:\n    copy(row)\n"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Return a function that writes a program and gives the method's params."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()

    def write(body: str, arguments: str = "{inputs} {outputs}", **params) -> dict:
        path = tmp_path / "program.py"
        path.write_text(HEAD + body)
        defaults = {"environment": {}, "retries": 0, "files": []}
        return {
            "command": f"{sys.executable} {path} {arguments}",
            "resample": False,
            "downmix": False,
            **defaults,
            **params,
        }

    return write


def outputs(tmp_path, params, **options):
    utterances = make_manifest(tmp_path)
    return dict(command.process_shard(make_shard(command, utterances, params, **options)))


def is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())


def test_outputs_are_read_back_and_nothing_stays_behind(tmp_path, program):
    results = outputs(tmp_path, program(COPY_ALL))
    assert list(results) == ["f1-u0", "f1-u1", "m1-u0", "m1-u1"]
    for name, samples in results.items():
        assert np.array_equal(samples, read_audio(tmp_path / "wav" / f"{name}.wav"))
    assert is_empty(tmp_path / "temporary")


def test_the_list_names_files_speakers_and_seeds(tmp_path, program):
    keep = tmp_path / "list.tsv"
    params = program(COPY_ALL + f"shutil.copy(inputs, {str(keep)!r})\n")
    outputs(tmp_path, params)
    with keep.open() as stream:
        rows = {row["utterance"]: row for row in csv.DictReader(stream, delimiter="\t")}
    assert list(next(iter(rows.values()))) == command.LIST_COLUMNS
    assert (rows["m1-u0"]["speaker"], rows["m1-u0"]["gender"]) == ("m1", "m")
    seeds = {name: int(row["seed"]) for name, row in rows.items()}
    assert seeds["f1-u0"] == seeds["f1-u1"] != seeds["m1-u0"]
    assert all(0 <= seed < 2**32 for seed in seeds.values())
    outputs(tmp_path, params, level="utterance")
    with keep.open() as stream:
        assert len({row["seed"] for row in csv.DictReader(stream, delimiter="\t")}) == 4


def test_shards_do_not_change_the_seeds(tmp_path):
    utterances = make_manifest(tmp_path)
    whole = make_shard(command, utterances, {}, level="utterance")
    part = make_shard(command, utterances, {}, part=slice(1, None, 2), level="utterance")
    assert whole.voices == part.voices


def test_placeholders_and_environment_reach_the_program(tmp_path, program):
    seen = tmp_path / "seen.json"
    body = (
        COPY_ALL
        + f"import json\njson.dump([rest, os.environ['MODEL']], open({str(seen)!r}, 'w'))\n"
    )
    params = program(
        body, "{inputs} {outputs} seed={seed} -j {threads}", environment={"MODEL": "a b"}
    )
    outputs(tmp_path, params, seed=7)
    assert json.loads(seen.read_text()) == [["seed=7", "-j", "3"], "a b"]


def test_a_prefix_comes_first_in_the_path(tmp_path, program, monkeypatch):
    params = program(COPY_ALL)
    tool = tmp_path / "env" / "bin" / "my_tool"
    tool.parent.mkdir(parents=True)
    tool.write_text(f'#!/bin/sh\ntest -z "$PYTHONPATH" && exec {params["command"].split()[0]} "$@"')
    tool.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", "elsewhere")
    words = params["command"].split()[1:]
    changed = {"command": " ".join(["my_tool", *words]), "prefix": str(tmp_path / "env")}
    assert len(outputs(tmp_path, params | changed)) == 4


def test_a_prefix_without_programs_is_named(tmp_path, program):
    with pytest.raises(ValueError, match=r"prefix: no folder .*nothing/bin; name a conda or venv"):
        outputs(tmp_path, program(COPY_ALL, prefix=str(tmp_path / "nothing")))


def test_what_it_prints_is_logged(tmp_path, program, caplog):
    body = COPY_ALL + "print('44 layers', flush=True)\nprint('slow', file=sys.stderr)\n"
    with caplog.at_level(logging.INFO):
        outputs(tmp_path, program(body))
    assert "| 44 layers" in caplog.messages
    assert "| slow" in caplog.messages


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("for row in rows[1:]:\n    copy(row)\n", r"of 4 outputs\n  missing: 1 \(f1-u0\)"),
        ("", r"missing: 4 \(f1-u0, f1-u1, m1-u0 and 1 more\)"),
        (COPY_ALL + "open(rows[2]['output'], 'w').close()\n", r"empty: 1 \(m1-u0\)"),
        (
            COPY_ALL + "open(rows[2]['output'], 'r+b').truncate(500)\n",
            r"unreadable: 1 \(m1-u0\)",
        ),
        (
            COPY_ALL + "pathlib.Path(rows[0]['output']).write_text('speech')\n",
            r"unreadable: 1 \(f1-u0\)",
        ),
        (
            COPY_ALL + "import soundfile, numpy\n"
            "soundfile.write(rows[0]['output'], numpy.zeros(800), 8000)\n",
            r"wrong rate: 1 \(f1-u0 at 8000 Hz\).*set `resample: true` in params",
        ),
        (
            COPY_ALL + "import soundfile, numpy\n"
            "soundfile.write(rows[0]['output'], numpy.zeros((800, 2)), 16000)\n",
            r"wrong channels: 1 \(f1-u0 with 2\)",
        ),
        (COPY_ALL + "sys.exit(3)\n", "ended with status 3; its output is in the log"),
    ],
)
def test_a_failed_run_is_explained_and_leaves_nothing(tmp_path, program, body, message):
    with pytest.raises(ValueError, match=message):
        outputs(tmp_path, program(body))
    assert is_empty(tmp_path / "temporary")


def test_a_sample_that_is_no_number_is_named_by_utterance(tmp_path, program):
    body = COPY_ALL + (
        "import soundfile, numpy\n"
        "soundfile.write(rows[0]['output'], numpy.full(9, numpy.nan), 16000, subtype='FLOAT')\n"
    )
    with pytest.raises(ValueError, match=r"f1-u0\.wav: sample 0 is not a finite number"):
        outputs(tmp_path, program(body))


def test_other_rates_are_converted_where_allowed(tmp_path, program):
    body = (
        "import soundfile, numpy\n"
        "for row in rows:\n    soundfile.write(row['output'], numpy.zeros(800), 8000)\n"
    )
    results = outputs(tmp_path, program(body, resample=True))
    assert {len(samples) for samples in results.values()} == {1600}


def test_a_run_is_repeated_with_an_empty_folder(tmp_path, program):
    count = tmp_path / "count"
    body = (
        f"count = pathlib.Path({str(count)!r})\n"
        "assert not os.listdir(outputs)\n"
        "count.write_text(count.read_text() + 'x' if count.exists() else 'x')\n"
        "copy(rows[0])\n"
        "if len(count.read_text()) < 3: sys.exit('not yet')\n" + COPY_ALL
    )
    assert len(outputs(tmp_path, program(body, retries=2))) == 4
    assert count.read_text() == "xxx"
    count.unlink()
    with pytest.raises(ValueError, match="ended with status 1"):
        outputs(tmp_path, program(body, retries=1))
    assert count.read_text() == "xx"


def test_a_program_that_hangs_is_ended_with_all_it_started(tmp_path, program):
    child = tmp_path / "child"
    body = (
        "import subprocess\n"
        "started = subprocess.Popen(['sleep', '300'])\n"
        f"pathlib.Path({str(child)!r}).write_text(str(started.pid))\n"
        "time.sleep(300)\n"
    )
    with pytest.raises(ValueError, match=r"not done after 3 s"):
        outputs(tmp_path, program(body, timeout_s=3))
    assert not is_running(int(child.read_text()))
    assert is_empty(tmp_path / "temporary")


def is_running(process: int) -> bool:
    """Say whether a process is there, but for one that only waits to be buried."""
    for _ in range(50):
        try:
            os.kill(process, 0)
            state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return False
        if state == "Z":
            return False
        time.sleep(0.1)
    return True


def test_a_program_that_cannot_start_is_named_and_not_tried_again(tmp_path, program, caplog):
    params = program("", retries=5) | {"command": "no_such_program {inputs}"}
    with pytest.raises(ValueError, match="cannot start 'no_such_program'"):
        outputs(tmp_path, params)
    assert "trying again" not in caplog.text


def test_an_unknown_placeholder_is_named(tmp_path, program):
    with pytest.raises(ValueError, match=r"unknown placeholder \{gpu\}; there are \{inputs\}"):
        outputs(tmp_path, program(COPY_ALL, "{inputs} {gpu}"))


def test_words_that_name_files_and_further_files_are_tracked(tmp_path, program):
    params = program(COPY_ALL)
    weights = tmp_path / "weights.pt"
    weights.touch()
    entry = {"method": "command", "params": params | {"files": [str(weights)]}}
    expected = {sys.executable, str(tmp_path / "program.py"), str(weights)}
    assert set(files_of_system("mine", entry)) == expected


def test_an_open_quotation_is_named():
    entry = {"method": "command", "params": {"command": "'my {inputs}", "files": []}}
    with pytest.raises(ValueError, match=r"system mine: params\.command: No closing quotation"):
        files_of_system("mine", entry)
