import pytest

from scripts.estimate_lm import main
from scripts.lib.language_model import END, read_arpa
from tests.unit.models.spelled_tones import record

CONFIG = {"order": 2, "training_data": ["one", "two"], "pruning": 0}


def test_counts_all_manifests_and_writes_the_same_bytes_again(tmp_path):
    record(tmp_path / "one", ["A B", "A C"])
    texts = record(tmp_path / "two", ["A B"]).assign(utterance="s3-0", speaker="s3")
    texts.to_csv(tmp_path / "two" / "000.tsv", sep="\t", index=False)
    manifests = [str(tmp_path / part / "000.tsv") for part in ("one", "two")]
    main(manifests, str(tmp_path / "a.arpa"), CONFIG)
    main(manifests[::-1], str(tmp_path / "b.arpa"), CONFIG)
    model = read_arpa(tmp_path / "a.arpa")
    assert (tmp_path / "a.arpa").read_bytes() == (tmp_path / "b.arpa").read_bytes()
    assert model.words == ["A", "B", "C"]
    # The three sentences of tests/unit/test_language_model.py.
    assert 10 ** model.log_probability("B", ["A"]) == pytest.approx(1 / 3 + 0.5 * 0.225, rel=1e-6)
    assert 10 ** model.log_probability(END, ["B"]) == pytest.approx(0.5 + 0.5 * 0.325, rel=1e-6)


def test_an_utterance_without_text_is_named_and_nothing_written(tmp_path):
    texts = record(tmp_path, ["A B", "A C"]).assign(text=["A B", ""])
    texts.to_csv(tmp_path / "000.tsv", sep="\t", index=False)
    with pytest.raises(ValueError, match="utterance s2-0 without text"):
        main([str(tmp_path / "000.tsv")], str(tmp_path / "a.arpa"), CONFIG)
    assert not (tmp_path / "a.arpa").exists()


def test_pruning_leaves_bigrams_out(tmp_path):
    record(tmp_path, ["A B", "A C", "A B"])
    for name, pruning in (("full", 0), ("small", 9.0)):
        config = {**CONFIG, "pruning": pruning}
        main([str(tmp_path / "000.tsv")], str(tmp_path / f"{name}.arpa"), config)
    full, small = (read_arpa(tmp_path / f"{name}.arpa") for name in ("full", "small"))
    assert len(full.log_probabilities[1]) == 5
    assert small.log_probabilities[1] == {}
    assert small.words == full.words
