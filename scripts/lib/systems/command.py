"""Anonymize with a program of the user's, called once per shard.

It gets a list of recordings and a folder for its own. The pseudo-voice is a seed, one line of the
list each, so a program can give the utterances that share a voice the same one.
"""

import logging
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from scripts.lib.audio import read_audio, write_audio
from scripts.lib.audio_check import check_headers
from scripts.lib.manifest import write_table
from scripts.lib.shards import Output, Shard
from scripts.lib.systems.ranges import Generator, seed_from

logger = logging.getLogger("command")

LIST_COLUMNS = ["utterance", "input", "output", "speaker", "gender", "seed"]
# They say where Python finds its packages, and would lead another environment's astray.
FOREIGN_TO_A_PREFIX = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")


def draw(rng: Generator, params: Mapping[str, Any]) -> dict[str, int]:
    """Choose the seed that stands in the list."""
    return {"seed": seed_from(rng)}


def process_shard(shard: Shard) -> Iterator[Output]:
    """Run the program and yield name and samples of each utterance.

    A run fails if the program ends with an error, takes too long, or leaves a missing or broken
    file; then it is repeated with an empty folder, as often as `retries` says.
    """
    params = shard.params
    with tempfile.TemporaryDirectory(prefix="anonymize_") as name:
        folder = Path(name)
        for attempt in range(params["retries"] + 1):
            outputs = folder / f"outputs_{attempt}"
            outputs.mkdir()
            try:
                _run_once(shard, folder, outputs)
                break
            except RunFailedError as error:
                if attempt == params["retries"]:
                    raise
                logger.warning("%s; trying again", error)
        form = {key: params[key] for key in ("resample", "downmix")}
        for utterance in shard.utterances["utterance"]:
            yield utterance, read_audio(outputs / f"{utterance}.wav", **form)


class RunFailedError(ValueError):
    """The program did not do its work; another try may help."""


def fill_in(command: str, values: Mapping[str, Any]) -> list[str]:
    """Return the words of a command with its placeholders replaced.

    Examples
    --------
    >>> fill_in("my_vc --list {inputs} 'a b'", {"inputs": "in.tsv", "outputs": "out"})
    ['my_vc', '--list', 'in.tsv', 'a b']
    >>> fill_in("my_vc {input}", {"inputs": "in.tsv", "outputs": "out"})
    Traceback (most recent call last):
    ValueError: command: unknown placeholder {input}; there are {inputs}, {outputs}
    """

    def value_of(match: re.Match) -> str:
        if match[1] not in values:
            known = ", ".join(f"{{{key}}}" for key in values)
            raise ValueError(f"command: unknown placeholder {match[0]}; there are {known}")
        return str(values[match[1]])

    return [re.sub(r"\{(\w+)\}", value_of, word) for word in shlex.split(command)]


def _run_once(shard: Shard, folder: Path, outputs: Path) -> None:
    params = shard.params
    values = {
        "inputs": _write_inputs(shard, folder, outputs),
        "outputs": outputs,
        "seed": shard.system["seed"],
        "threads": shard.threads,
    }
    words = fill_in(params["command"], values)
    logger.info("running %s", shlex.join(words))
    _execute(words, _environment(params), params.get("timeout_s"))
    names = list(shard.utterances["utterance"])
    problems = check_headers(
        {name: outputs / f"{name}.wav" for name in names},
        resample=params["resample"],
        downmix=params["downmix"],
    )
    if problems:
        lines = "\n".join(problems.lines())
        raise RunFailedError(f"{words[0]}: of {len(names)} outputs\n{lines}")


def _write_inputs(shard: Shard, folder: Path, outputs: Path) -> Path:
    """Write the recordings as 16 kHz wav files, once, and their list."""
    rows = shard.utterances
    table = rows.assign(
        input=[str(folder / "inputs" / f"{name}.wav") for name in rows["utterance"]],
        output=[str(outputs / f"{name}.wav") for name in rows["utterance"]],
        seed=[shard.voices[name]["seed"] for name in rows["utterance"]],
    )
    for row in table.itertuples():
        if not Path(row.input).exists():
            write_audio(row.input, shard.read(row.path))
    path = folder / f"{outputs.name}.tsv"
    write_table(path, table[LIST_COLUMNS])
    return path


def _environment(params: Mapping[str, Any]) -> dict[str, str]:
    environment = dict(os.environ)
    if "prefix" in params:
        folder = Path(params["prefix"]).absolute() / "bin"
        if not folder.is_dir():
            raise ValueError(f"prefix: no folder {folder}; name a conda or venv environment")
        for name in FOREIGN_TO_A_PREFIX:
            environment.pop(name, None)
        environment["PATH"] = os.pathsep.join([str(folder), environment.get("PATH", "")])
    return environment | params["environment"]


def _execute(words: list[str], environment: Mapping[str, str], timeout_s: float | None) -> None:
    try:
        process = subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # A group of its own, so that whatever the program started ends with it.
            process_group=0,
        )
    except OSError as error:
        raise ValueError(
            f"command: cannot start {words[0]!r} ({error.strerror}); give the path of an "
            "executable file, or set `prefix` to the environment that holds it"
        ) from error
    # Daemonic, because a program may hand its pipe to a process that never ends.
    reader = threading.Thread(target=_keep_output, args=(process.stdout,), daemon=True)
    reader.start()
    try:
        status = process.wait(timeout_s)
    except subprocess.TimeoutExpired as error:
        raise RunFailedError(f"{words[0]}: not done after {timeout_s:g} s") from error
    finally:
        _end_group(process)
        reader.join(timeout=10)
    if status:
        raise RunFailedError(f"{words[0]}: ended with status {status}; its output is in the log")


def _keep_output(stream: IO[str]) -> None:
    with stream:
        for line in stream:
            logger.info("| %s", line.rstrip("\n"))


def _end_group(process: subprocess.Popen) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    finally:
        process.wait()
