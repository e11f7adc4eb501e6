"""The grammar: length of its sentences, size and use of its vocabulary."""

import numpy as np
import pytest

from scripts.lib.synthesis.sentences import draw_sentence, vocabulary


@pytest.fixture(scope="module")
def drawn():
    return [draw_sentence(np.random.default_rng(seed)).split() for seed in range(1500)]


def test_sentences_have_eight_to_twelve_words(drawn):
    assert {len(words) for words in drawn} <= set(range(8, 13))


def test_every_word_of_the_vocabulary_is_used_and_no_other(drawn):
    assert {word for words in drawn for word in words} == set(vocabulary())


def test_vocabulary_is_small_and_in_plain_letters():
    assert 80 <= len(vocabulary()) <= 150
    assert all(word.isascii() and word.isalpha() and word.islower() for word in vocabulary())


def test_sentences_seldom_repeat(drawn):
    assert len({" ".join(words) for words in drawn}) > 0.99 * len(drawn)
