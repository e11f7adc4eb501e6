import itertools
import math
from collections.abc import Callable
from functools import partial

import kaldi_decoder
import numpy as np
import pytest

from scripts.lib.characters import spell, vocabulary_of
from scripts.lib.decoding import Decoder
from scripts.lib.language_model import BEGIN, END, estimate

VOCABULARY = vocabulary_of("AB")
BLANK, SPACE, A, B = range(4)
TEXTS = ["A AB", "AB A B", "B", "AA A AB", "BA AB B B", "A"]
MODEL = estimate([text.split() for text in TEXTS], order=3)
WIDE = {"beam": 200.0, "max_active": 100_000}


def decoder(lm_weight=1.0, insertion_penalty=0.0, **search) -> Callable[[np.ndarray], str]:
    decode = Decoder(
        MODEL,
        {word: [units] for word, units in spell(MODEL.words, VOCABULARY).items()},
        separator=SPACE,
        units=len(VOCABULARY),
        insertion_penalty=insertion_penalty,
        **{**WIDE, **search},
    )
    return partial(decode, lm_weight=lm_weight)


def random_posteriors(seed: int, frames: int) -> np.ndarray:
    logits = np.random.default_rng(seed).normal(0, 1.5, (frames, len(VOCABULARY)))
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def log_grammar(history: tuple[str, ...], rest: tuple[str, ...]) -> float:
    """Return the best log10 score of the words to come, where falling back is always allowed."""
    word = rest[0] if rest else END
    ways = []
    listed = MODEL.log_probabilities[len(history)].get((*history, word))
    if listed is not None:
        following = (*history, word)
        while following not in MODEL.log_backoffs and following:
            following = following[1:]
        ways.append(listed + (log_grammar(following, rest[1:]) if rest else 0.0))
    if history:
        ways.append(MODEL.log_backoffs[history] + log_grammar(history[1:], rest))
    return max(ways)


def score_by_brute_force(scores, lm_weight, insertion_penalty) -> dict[str, float]:
    """Score every sentence by trying every alignment."""
    alignments: dict[str, float] = {}
    for path in itertools.product(range(len(VOCABULARY)), repeat=len(scores)):
        collapsed = [unit for unit, _ in itertools.groupby(path) if unit != BLANK]
        text = "".join(VOCABULARY[unit] for unit in collapsed)
        score = sum(scores[frame, unit] for frame, unit in enumerate(path))
        alignments[text] = max(score, alignments.get(text, -math.inf))
    words = set(MODEL.words)
    return {
        text: score
        + lm_weight * math.log(10) * log_grammar((BEGIN,), tuple(text.split()))
        - lm_weight * insertion_penalty * len(text.split())
        for text, score in alignments.items()
        if text == "" or set(text.split(" ")) <= words
    }


@pytest.mark.parametrize(
    ("lm_weight", "penalty"), [(0.01, 0.0), (0.5, 0.0), (1.0, -1.0), (2.0, 0.5)]
)
def test_finds_the_best_of_all_sentences(lm_weight, penalty):
    decode = decoder(lm_weight, penalty)
    answers = set()
    for seed in range(12):
        scores = random_posteriors(seed, frames=6)
        totals = score_by_brute_force(scores, lm_weight, penalty)
        found = decode(scores)
        # Scores are float32 in the decoder, so that near ties may be swapped.
        assert totals[found] == pytest.approx(max(totals.values()), abs=1e-3), seed
        answers.add(found)
    assert len(answers) > 3


@pytest.mark.parametrize(("lm_weight", "penalty"), [(0.3, 0.0), (1.0, -1.0), (1.5, 0.5)])
def test_finds_the_best_words_among_homophones_and_beginnings_of_words(lm_weight, penalty):
    # No separator: A and B are said alike, A has a second way, AA begins with A, AB with neither.
    phones = {"A": [[1], [1, 2]], "B": [[1]], "AA": [[1, 3]], "AB": [[2, 1]], "BA": [[3]]}
    decode = Decoder(MODEL, phones, separator=None, units=4, insertion_penalty=penalty, **WIDE)
    answers = set()
    for seed in range(15):
        scores = random_posteriors(100 + seed, frames=5)
        alignments: dict[tuple[int, ...], float] = {}
        for path in itertools.product(range(4), repeat=len(scores)):
            heard = tuple(unit for unit, _ in itertools.groupby(path) if unit != BLANK)
            score = sum(scores[frame, unit] for frame, unit in enumerate(path))
            alignments[heard] = max(score, alignments.get(heard, -math.inf))
        totals: dict[str, float] = {"": alignments[()] + lm_weight * nats(())}
        for count in range(1, 6):
            for words in itertools.product(phones, repeat=count):
                cost = lm_weight * (nats(words) - penalty * count)
                for ways in itertools.product(*(phones[word] for word in words)):
                    heard = alignments.get(tuple(itertools.chain(*ways)), -math.inf)
                    text = " ".join(words)
                    totals[text] = max(heard + cost, totals.get(text, -math.inf))
        found = decode(scores, lm_weight)
        assert totals[found] == pytest.approx(max(totals.values()), abs=1e-3), seed
        answers.add(found)
    assert len(answers) > 3


def nats(words: tuple[str, ...]) -> float:
    return math.log(10) * log_grammar((BEGIN,), words)


def test_repeated_letters_need_a_blank_and_words_a_space():
    def certain(*units):
        return np.log(np.eye(len(VOCABULARY))[list(units)] * 0.999 + 0.00025)

    decode = decoder(lm_weight=0.1)
    assert decode(certain(A, A, B)) == "AB"
    assert decode(certain(A, BLANK, A)) == "AA"
    assert decode(certain(A, SPACE, A, B, SPACE, SPACE, B)) == "A AB B"
    assert decode(certain(BLANK, BLANK)) == ""


def test_insertion_penalty_trades_words():
    scores = random_posteriors(1, frames=40)
    penalties = (-20.0, -6.0, 0.0, 6.0, 20.0)
    counts = [len(decoder(0.5, penalty)(scores).split()) for penalty in penalties]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > counts[-1] >= 0


def test_a_beam_that_ends_inside_a_word_is_widened(monkeypatch):
    beams = []
    options = kaldi_decoder.FasterDecoderOptions

    def remember(beam, **others):
        beams.append(beam)
        return options(beam=beam, **others)

    monkeypatch.setattr(kaldi_decoder, "FasterDecoderOptions", remember)
    # Clear letters A, B, A and B in a row begin with the word AB and end in no word.
    scores = np.log(np.eye(len(VOCABULARY))[[A, B, A, B]] * 0.96 + 0.01)
    totals = score_by_brute_force(scores, 1.0, 0.0)
    assert decoder(beam=0.5, max_active=2)(scores) in totals
    assert beams[:2] == [0.5, 1.0]


def test_memory_layout_and_rebuilding_change_nothing():
    decode = decoder()
    scores = random_posteriors(7, frames=50)
    assert decode(scores) == decode(scores.copy(order="F")) == decoder()(scores)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((0, 4)), r"shape \(0, 4\)"),
        (np.zeros((3, 5)), r"shape \(3, 5\).*4 units"),
        (np.full((3, 4), np.nan), "not finite"),
    ],
)
def test_scores_of_another_form_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        decoder()(scores)


def test_words_that_cannot_be_spelled_are_named():
    with pytest.raises(ValueError, match=r"'AÉ'.*É"):
        spell(["A", "AÉ"], VOCABULARY)
