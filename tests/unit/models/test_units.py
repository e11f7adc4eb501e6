from itertools import chain

import pandas as pd
import pytest

from scripts.lib.models.units import make_units, read_lexicon, stored_units, train_pieces
from tests.unit.test_language_model import random_sentences

LEXICON = """\
;;; a remark
A        AH
A(2)     EY
B        B IY
B(3)     B IY
BE       B IY
(PAUSE)  SIL
"""
TEXTS = ["LOW LOWER", "LOW NEW", "NEWER LOWER", "LOW WIDE"]


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "words.dic"
    path.write_text(LEXICON)
    return path


def table(*texts: str) -> pd.DataFrame:
    return pd.DataFrame({"utterance": [f"u{n}" for n in range(len(texts))], "text": texts})


def test_a_lexicon_keeps_every_pronunciation_once_and_in_order(lexicon):
    assert read_lexicon(lexicon) == {
        "A": [["AH"], ["EY"]],
        "B": [["B", "IY"]],
        "BE": [["B", "IY"]],
        "(PAUSE)": [["SIL"]],
    }


@pytest.mark.parametrize(
    ("text", "message"), [("A\n", "line 1: 'A' has no phones"), ("", "no words")]
)
def test_a_bad_lexicon_is_named(tmp_path, text, message):
    (tmp_path / "bad.dic").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_lexicon(tmp_path / "bad.dic")


def test_phones_train_on_the_first_pronunciation_and_search_all(lexicon):
    units = make_units({"kind": "phones", "lexicon": str(lexicon)}, [])
    assert units.vocabulary == ["<blank>", "AH", "B", "EY", "IY", "SIL"]
    assert units.encode("B A") == [2, 4, 1]
    assert units.spellings(["A", "BE", "UNHEARD"]) == {"A": [[1], [3]], "BE": [[2, 4]]}
    assert units.separator is None
    with pytest.raises(ValueError, match=r"utterance u1 has 'C' in its text.*lexicon"):
        units.check(table("A B", "B C"), "made-up")
    units.check_references(table("A B", "B C"), "made-up")


def test_pieces_put_every_text_together_again_and_are_the_same_each_time():
    units = make_units({"kind": "bpe", "pieces": 14}, TEXTS)
    assert len(units.vocabulary) == 14
    assert units.vocabulary[0] == "<blank>"
    for text in TEXTS:
        numbers = units.encode(text)
        assert 0 not in numbers
        joined = "".join(units.vocabulary[number] for number in numbers)
        assert joined.replace("▁", " ").strip() == text
        # Each word is spelled as it is inside a text, so that a lexicon can hold it.
        words = (units.spellings([word])[word][0] for word in text.split())
        assert list(chain.from_iterable(words)) == numbers
    assert train_pieces(TEXTS, 14) == train_pieces(TEXTS, 14)
    # The pair that occurs most often is joined first.
    assert any(piece.endswith("LOW") for piece in units.vocabulary)
    assert units.spellings(["LOW", "XYZ"]).keys() == {"LOW"}
    with pytest.raises(ValueError, match="utterance u0 has a character"):
        units.check(table("LOW É"), "made-up")
    with pytest.raises(ValueError, match="`pieces`: 5000 cannot be made from 4 training texts"):
        train_pieces(TEXTS, 5000)


@pytest.mark.parametrize("kind", ["characters", "phones", "bpe"])
def test_units_come_back_from_a_model(lexicon, kind):
    texts = [" ".join(words) or "A" for words in random_sentences(1)]
    config = {"kind": kind, "characters": "ABCDEFGH", "lexicon": str(lexicon), "pieces": 12}
    units = make_units(config, texts)
    again = stored_units(units.state())
    assert again.vocabulary == units.vocabulary
    assert again.encode("A B A") == units.encode("A B A")
    assert again.spellings(["A", "B"]) == units.spellings(["A", "B"])
