import sys
from types import ModuleType
from typing import ClassVar

import pandas as pd
import pytest

from scripts.lib.manifest import read_table
from scripts.transcribe_speech import batches_by_length, main
from tests.unit.models.spelled_tones import record

TEXTS = ["AB C", "CA BB", "B"]


class Listener:
    """Stands for a network: it tells how many recordings and samples it was given."""

    batches: ClassVar[list[list[int]]] = []

    def __init__(self, config):
        self.batches.clear()

    def transcribe(self, recordings):
        self.batches.append([len(samples) for samples in recordings])
        return [str(len(samples)) for samples in recordings]

    def normalize(self, reference, hypothesis):
        return reference.replace("B", "").strip(), hypothesis


@pytest.fixture
def listener(monkeypatch):
    module = ModuleType("scripts.lib.models.listener")
    module.Transcriber = Listener
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return {"backend": "listener", "batch": 2}


def test_batches_hold_the_longest_first_and_equal_ones_in_order():
    table = pd.DataFrame({"utterance": list("abcde"), "duration_s": [1.0, 3.0, 2.0, 3.0, 1.0]})
    found = [list(batch["utterance"]) for batch in batches_by_length(table, 2)]
    assert found == [["b", "d"], ["c", "a"], ["e"]]


def test_rows_keep_the_order_of_the_dataset_and_the_normalised_texts(listener, tmp_path):
    record(tmp_path, TEXTS[:2], subset="trials_f")
    main([str(tmp_path / "000.tsv")], str(tmp_path / "t.tsv"), listener, threads=1)
    rows = read_table(tmp_path / "t.tsv")
    # A character takes 0.12 s, which is 1920 samples.
    assert Listener.batches == [[5 * 1920, 4 * 1920]]
    assert rows["utterance"].tolist() == ["s1-1", "s2-0"]
    assert rows["reference"].tolist() == ["CA", "A C"]
    assert rows["hypothesis"].tolist() == ["9600", "7680"]


def test_a_text_of_which_nothing_is_left_is_named(listener, tmp_path):
    record(tmp_path, TEXTS, subset="trials_f")
    with pytest.raises(ValueError, match="utterance s2-2: nothing is left of its text 'B'"):
        main([str(tmp_path / "000.tsv")], str(tmp_path / "t.tsv"), listener, threads=1)
