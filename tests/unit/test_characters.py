import pandas as pd
import pytest

from scripts.lib.characters import check_words, encode, spell, vocabulary_of


@pytest.mark.parametrize("characters", ["AAB", "A B"])
def test_each_character_once_and_no_space(characters):
    with pytest.raises(ValueError, match="each character once, without space"):
        vocabulary_of(characters)


def test_words_spelled_one_by_one_make_up_the_text():
    vocabulary = vocabulary_of("ABC'")
    lexicon = spell(["AB", "C'A"], vocabulary)
    separator = [vocabulary.index(" ")]
    assert encode("AB C'A", vocabulary) == lexicon["AB"] + separator + lexicon["C'A"]
    assert 0 not in encode("AB C'A", vocabulary)


@pytest.mark.parametrize("text", [" A B", "A B ", "A  B", "A\tB"])
def test_other_white_space_is_named(text):
    table = pd.DataFrame({"utterance": ["u1", "u2"], "text": ["A B", text]})
    with pytest.raises(ValueError, match="utterance u2 with other white space"):
        check_words(table, origin="made-up")
