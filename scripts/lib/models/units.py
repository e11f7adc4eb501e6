"""What a CTC model emits: characters, phones of a lexicon, or pieces of words (BPE).

Every kind has a `vocabulary` with the blank first, a `separator` (the unit between two words, or
None), the unit numbers of a text to train on, and the spellings of words to search for.
"""

import base64
import io
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import sentencepiece

from scripts.lib.characters import (
    BLANK,
    SPACE,
    check_texts,
    check_words,
    encode,
    spell,
    vocabulary_of,
)

Spellings = dict[str, list[list[int]]]


class Characters:
    """Characters, and the space between words.

    Parameters
    ----------
    characters
        Every character that a word may hold.
    """

    def __init__(self, characters: str):
        self._characters = characters
        self.vocabulary = vocabulary_of(characters)
        self.separator = self.vocabulary.index(SPACE)

    def state(self) -> dict[str, Any]:
        """Return plain data that `stored_units` makes these units from."""
        return {"kind": "characters", "characters": self._characters}

    def check(self, utterances: pd.DataFrame, origin: str) -> None:
        """Raise an error that names an utterance whose text cannot be learned."""
        check_texts(utterances, self.vocabulary, origin)

    # A reference in other letters, small ones perhaps, would count as nothing but errors.
    check_references = check

    def encode(self, text: str) -> list[int]:
        """Return the unit numbers of a text."""
        return encode(text, self.vocabulary)

    def spellings(self, words: Iterable[str]) -> Spellings:
        """Return the unit numbers of each word, in a list of one."""
        return {word: [units] for word, units in spell(words, self.vocabulary).items()}


class Phones:
    """Phones, without a unit between words: a pause is the blank.

    Parameters
    ----------
    lexicon
        Pronunciations of each word. Training takes the first one, the search all.
    """

    separator = None

    def __init__(self, lexicon: Mapping[str, list[list[str]]]):
        self._lexicon = dict(lexicon)
        phones = {phone for ways in self._lexicon.values() for way in ways for phone in way}
        self.vocabulary = [BLANK, *sorted(phones)]
        self._numbers = {phone: number for number, phone in enumerate(self.vocabulary)}

    def state(self) -> dict[str, Any]:
        """Return plain data that `stored_units` makes these units from."""
        return {"kind": "phones", "lexicon": self._lexicon}

    def check(self, utterances: pd.DataFrame, origin: str) -> None:
        """Raise an error that names an utterance whose text cannot be learned."""
        check_words(utterances, origin)
        for row in utterances.itertuples():
            unknown = sorted(set(row.text.split()) - set(self._lexicon))
            if unknown:
                raise ValueError(
                    f"{origin}: utterance {row.utterance} has {unknown[0]!r} in its text, which "
                    "is not in the lexicon; add its pronunciation"
                )

    # A word that nobody can pronounce is one that is never recognised.
    check_references = staticmethod(check_words)

    def encode(self, text: str) -> list[int]:
        """Return the unit numbers of a text."""
        return [number for word in text.split() for number in self._spelled(word)[0]]

    def spellings(self, words: Iterable[str]) -> Spellings:
        """Return the unit numbers of each pronunciation; words without one are left out."""
        return {word: self._spelled(word) for word in words if word in self._lexicon}

    def _spelled(self, word: str) -> list[list[int]]:
        return [[self._numbers[phone] for phone in way] for way in self._lexicon[word]]


class Pieces:
    """Pieces of words by byte-pair encoding; a piece that begins a word starts with "▁".

    Parameters
    ----------
    model
        A model of SentencePiece, made by `train_pieces`.
    """

    separator = None

    def __init__(self, model: bytes):
        self._model = model
        self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        names = [self._processor.id_to_piece(n) for n in range(len(self._processor))]
        # Number 0 is SentencePiece's unknown piece, which `check` keeps out of every text.
        self.vocabulary = [BLANK, *names[1:]]

    def state(self) -> dict[str, Any]:
        """Return plain data that `stored_units` makes these units from."""
        return {"kind": "bpe", "model": base64.b64encode(self._model).decode("ascii")}

    def check(self, utterances: pd.DataFrame, origin: str) -> None:
        """Raise an error that names an utterance whose text cannot be learned."""
        check_words(utterances, origin)
        for row in utterances.itertuples():
            if 0 in self._processor.encode(row.text):
                raise ValueError(
                    f"{origin}: utterance {row.utterance} has a character in its text that the "
                    f"pieces were not made for: {row.text!r}"
                )

    check_references = check

    def encode(self, text: str) -> list[int]:
        """Return the unit numbers of a text."""
        return self._processor.encode(text)

    def spellings(self, words: Iterable[str]) -> Spellings:
        """Return the unit numbers of each word; words with unknown characters are left out."""
        found = {word: self._processor.encode(word) for word in words}
        return {word: [units] for word, units in found.items() if 0 not in units}


Units = Characters | Phones | Pieces


def make_units(config: Mapping, texts: Iterable[str]) -> Units:
    """Return the units of a model to be trained.

    Parameters
    ----------
    config
        `units` of an entry of config/asr.
    texts
        The training texts, which pieces of words are made from.
    """
    if config["kind"] == "phones":
        return Phones(read_lexicon(config["lexicon"]))
    if config["kind"] == "bpe":
        return Pieces(train_pieces(texts, config["pieces"]))
    return Characters(config["characters"])


def stored_units(state: Mapping[str, Any]) -> Units:
    """Return the units whose `state` a model holds."""
    if state["kind"] == "phones":
        return Phones(state["lexicon"])
    if state["kind"] == "bpe":
        return Pieces(base64.b64decode(state["model"]))
    return Characters(state["characters"])


def train_pieces(texts: Iterable[str], count: int) -> bytes:
    """Return a SentencePiece model with `count` pieces, the unknown one included."""
    written = io.BytesIO()
    texts = list(texts)
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=written,
            model_type="bpe",
            vocab_size=count,
            character_coverage=1.0,
            normalization_rule_name="identity",
            # Longer texts would be left out; the library takes no limit below 10 bytes.
            max_sentence_length=max(10, *(len(text.encode()) + 1 for text in texts)),
            unk_id=0,
            bos_id=-1,
            eos_id=-1,
            pad_id=-1,
            num_threads=1,
            minloglevel=2,
        )
    except RuntimeError as error:
        raise ValueError(
            f"`pieces`: {count} cannot be made from {len(texts)} training texts ({error})"
        ) from error
    return written.getvalue()


def read_lexicon(path: str | Path) -> dict[str, list[list[str]]]:
    """Read a lexicon in the format of CMU and Kaldi: a word and its phones per line.

    Further pronunciations of a word stand on further lines; "(2)" after the word is left out.
    """
    lexicon: dict[str, list[list[str]]] = {}
    with Path(path).open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip() or line.startswith(";;;"):
                continue
            name, *phones = line.split()
            word, _, variant = name.partition("(")
            if not word or (variant and not variant.rstrip(")").isdigit()):
                word = name
            if not phones:
                raise ValueError(f"{path}, line {number}: {word!r} has no phones")
            ways = lexicon.setdefault(word, [])
            if phones not in ways:
                ways.append(phones)
    if not lexicon:
        raise ValueError(f"{path}: holds no words")
    return lexicon
