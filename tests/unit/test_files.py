"""Files appear whole or not at all, also on a disk that is full or must not be written to."""

import errno
import os
import subprocess

import numpy as np
import pandas as pd
import pytest

from scripts.lib.audio import read_audio, write_audio
from scripts.lib.embeddings import load_embeddings, save_embeddings
from scripts.lib.files import atomic_path
from scripts.lib.manifest import read_table, write_table

NOISE = np.random.default_rng(0).uniform(-0.5, 0.5, 400_000).astype(np.float32)


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root only, where mounting is allowed")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def write_model(path):
    import torch

    from scripts.lib.models.training import save_state

    save_state(path, {"weights": torch.from_numpy(NOISE)})


WRITERS = {
    "a.wav": lambda path: write_audio(path, NOISE),
    "a.flac": lambda path: write_audio(path, NOISE),
    "table.tsv": lambda path: write_table(path, pd.DataFrame({"score": NOISE})),
    "000.npz": lambda path: save_embeddings(path, {"u1": NOISE}),
    "checkpoint.pt": write_model,
}
READERS = {
    "a.wav": read_audio,
    "a.flac": read_audio,
    "table.tsv": read_table,
    "000.npz": lambda path: load_embeddings([path]),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_is_named_and_leaves_nothing(small_disk, name):
    with pytest.raises(OSError, match=rf"{name}: cannot be written \(No space left") as caught:
        WRITERS[name](small_disk / "made" / name)
    assert caught.value.errno == errno.ENOSPC
    assert list((small_disk / "made").iterdir()) == []


@pytest.mark.parametrize("name", READERS)
def test_a_full_disk_keeps_what_was_there(small_disk, name):
    before = small_disk / name
    match name:
        case "table.tsv":
            write_table(before, pd.DataFrame({"score": NOISE[:10]}))
        case "000.npz":
            save_embeddings(before, {"u1": NOISE[:10]})
        case _:
            write_audio(before, NOISE[:10])
    written = before.read_bytes()
    with pytest.raises(OSError, match="cannot be written"):
        WRITERS[name](before)
    assert before.read_bytes() == written
    assert len(READERS[name](before))


def test_a_disk_that_must_not_be_written_to_is_named(small_disk):
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(OSError, match=r"new/t\.tsv: cannot be written \(Read-only file system"):
        write_table(small_disk / "new" / "t.tsv", pd.DataFrame({"a": [1]}))


def test_other_mistakes_keep_their_own_words(tmp_path):
    def write_half():
        with atomic_path(tmp_path / "x") as temporary:
            temporary.write_text("half")
            raise ValueError("mine")

    with pytest.raises(ValueError, match=r"^mine$"):
        write_half()
    assert list(tmp_path.iterdir()) == []
