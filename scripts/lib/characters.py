"""Spell words in the characters that a CTC model emits, and check that they can be spelled."""

from collections.abc import Iterable, Sequence

import pandas as pd

from scripts.lib.manifest import named

BLANK = "<blank>"
SPACE = " "


def vocabulary_of(characters: str) -> list[str]:
    """Return the units of a model: the blank first, then the space, then the characters.

    Parameters
    ----------
    characters
        Every character that a word may hold.

    Examples
    --------
    >>> vocabulary_of("AB'")
    ['<blank>', ' ', 'A', 'B', "'"]
    """
    if SPACE in characters or len(set(characters)) < len(characters):
        raise ValueError(f"`characters` {characters!r}: give each character once, without space")
    return [BLANK, SPACE, *characters]


def encode(text: str, vocabulary: Sequence[str]) -> list[int]:
    """Return the unit numbers of a text whose words are separated by single spaces.

    Examples
    --------
    >>> encode("B AB", vocabulary_of("AB"))
    [3, 1, 2, 3]
    """
    numbers = {unit: number for number, unit in enumerate(vocabulary)}
    return [numbers[character] for character in text]


def spell(words: Iterable[str], vocabulary: Sequence[str]) -> dict[str, list[int]]:
    """Return a lexicon: the unit numbers of each word.

    Examples
    --------
    >>> spell(["AB", "B"], vocabulary_of("AB"))
    {'AB': [2, 3], 'B': [3]}
    """
    lexicon = {}
    for word in words:
        strange = sorted(set(word) - set(vocabulary[2:]))
        if strange or not word:
            raise ValueError(f"word {word!r}: cannot be spelled, {strange} not in the vocabulary")
        lexicon[word] = encode(word, vocabulary)
    return lexicon


def check_texts(utterances: pd.DataFrame, vocabulary: Sequence[str], origin: str) -> None:
    """Raise an error that names the utterances whose text a model cannot learn or emit.

    Parameters
    ----------
    utterances
        Columns `utterance` and `text`.
    vocabulary
        The units of the model.
    origin
        Where the texts come from, for the message.

    Examples
    --------
    >>> table = pd.DataFrame({"utterance": ["u1", "u2"], "text": ["A B", "AÉ"]})
    >>> check_texts(table, vocabulary_of("AB"), origin="made-up")
    Traceback (most recent call last):
    ValueError: made-up: utterance u2 has 'É' in its text, which is not among the characters 'AB'
    """
    check_words(utterances, origin)
    allowed = set(vocabulary[1:])
    for row in utterances.itertuples():
        strange = "".join(sorted(set(row.text) - allowed))
        if strange:
            raise ValueError(
                f"{origin}: utterance {row.utterance} has {strange!r} in its text, which is not "
                f"among the characters {''.join(vocabulary[2:])!r}"
            )


def check_words(utterances: pd.DataFrame, origin: str) -> None:
    """Raise an error unless every text is a sequence of words with single spaces between them.

    Examples
    --------
    >>> check_words(pd.DataFrame({"utterance": ["u1"], "text": [""]}), origin="made-up")
    Traceback (most recent call last):
    ValueError: made-up: utterance u1 without text; add a transcript or drop the dataset
    """
    empty = utterances["utterance"][utterances["text"].str.strip() == ""]
    if len(empty):
        raise ValueError(
            f"{origin}: {named(empty)} without text; add a transcript or drop the dataset"
        )
    ragged = utterances["text"].str.split().str.join(SPACE) != utterances["text"]
    if ragged.any():
        raise ValueError(
            f"{origin}: {named(utterances['utterance'][ragged])} with other white space than "
            "single spaces between words; correct the text"
        )
