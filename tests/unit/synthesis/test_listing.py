"""Trial lists and checksums of the embedded corpus."""

import hashlib

import pandas as pd

from scripts.lib.corpora.lists import all_trials
from scripts.lib.sums import write_sums


def test_trials_are_the_full_product():
    enrolment = pd.DataFrame({"speaker": ["a", "a", "b"], "utterance": ["a1", "a2", "b1"]})
    tested = pd.DataFrame({"speaker": ["a", "b", "z"], "utterance": ["a3", "b2", "z1"]})
    trials = all_trials(enrolment, tested)
    assert set(map(tuple, trials.to_numpy())) == {
        ("a", "a3", 1), ("a", "b2", 0), ("a", "z1", 0),
        ("b", "a3", 0), ("b", "b2", 1), ("b", "z1", 0),
    }  # fmt: skip


def test_sums_list_every_file_by_path(tmp_path):
    files = {"wav/s2/x.wav": b"two", "wav/s1/y.wav": b"one", "synth_train/text": b"A B\n"}
    for name, content in files.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    write_sums(tmp_path / "data", tmp_path / "SHA256SUMS")
    expected = [
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}"
        for name in ("synth_train/text", "wav/s1/y.wav", "wav/s2/x.wav")
    ]
    assert (tmp_path / "SHA256SUMS").read_text().splitlines() == expected
