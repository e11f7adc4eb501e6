"""Voices of utterances survive being written, and wrong ones are refused by name."""

import numpy as np
import pytest

from scripts.lib.voice_table import VoiceTable, read_voices, write_voices

PSEUDO = np.array([[1.0, 2.0], [3.0, 4.0]])
SOURCE = np.array([[5.0, 6.0], [7.0, 8.0]])


def test_a_table_is_read_back_and_routed(tmp_path):
    table = VoiceTable(["u1", "u2"], PSEUDO, SOURCE, [["p1", "p2"], []])
    for name in ("a.npz", "b.npz"):
        write_voices(tmp_path / name, table)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    found = read_voices(tmp_path / "a.npz")
    assert found["u1"].donors == ("p1", "p2")
    assert found["u2"].donors == ()
    assert found["u2"].routed("anon").tolist() == [3.0, 4.0]
    assert found["u2"].routed("orig").tolist() == [7.0, 8.0]
    assert found["u2"].routed("orig").dtype == np.float32


def test_wrong_tables_are_refused():
    with pytest.raises(ValueError, match="utterance u3: has no pseudo-voice"):
        VoiceTable(["u1", "u2"], PSEUDO, SOURCE, [[], []])["u3"]
    with pytest.raises(ValueError, match="two vectors and donors for every utterance"):
        VoiceTable(["u1"], PSEUDO, SOURCE, [[], []])
    with pytest.raises(ValueError, match="utterance u2: the vector of its speaker is not finite"):
        VoiceTable(["u1", "u2"], PSEUDO, np.where(SOURCE > 7, np.nan, SOURCE), [[], []])
    with pytest.raises(ValueError, match="2 dimensions, speakers 1"):
        VoiceTable(["u1", "u2"], PSEUDO, SOURCE[:, :1], [[], []])
