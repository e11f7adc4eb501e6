import gzip
import itertools
import math

import kaldilm
import numpy as np
import pytest

from scripts.lib.language_model import BEGIN, END, estimate, read_arpa, write_arpa

THREE = [["A", "B"], ["A", "C"], ["A", "B"]]


def random_sentences(seed: int, count: int = 30) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    # A steep distribution gives counts of all sizes, so that discounts are estimated.
    words = [chr(ord("A") + n) for n in range(8)]
    weights = 0.6 ** np.arange(8) / np.sum(0.6 ** np.arange(8))
    return [list(rng.choice(words, rng.integers(0, 7), p=weights)) for _ in range(count)]


@pytest.mark.parametrize(
    ("history", "word", "expected"),
    [
        # Predecessors: A, B and C one each, the end two. Σ D / 5 = ½ goes to ¼ for each word.
        ([], "A", 0.5 / 5 + 0.5 / 4),
        ([], END, 1 / 5 + 0.5 / 4),
        # A is followed by B twice and by C once: Σ D / 3 = (1 + ½) / 3.
        (["A"], "B", 1 / 3 + 0.5 * 0.225),
        (["A"], "C", 0.5 / 3 + 0.5 * 0.225),
        (["A"], "A", 0.5 * 0.225),
        (["A"], END, 0.5 * 0.325),
        ([BEGIN], "A", 1.5 / 3 + 0.5 * 0.225),
        (["B"], END, 1 / 2 + 0.5 * 0.325),
    ],
)
def test_three_sentences_by_hand(history, word, expected):
    model = estimate(THREE, order=2)
    assert 10 ** model.log_probability(word, history) == pytest.approx(expected, rel=1e-12)


def test_discounts_follow_from_how_often_ngrams_are_seen():
    # Unigrams: A B C D once, E F twice, G three times, H and the end four times, in 4 sentences.
    sentences = [list("ABCDH"), list("EFGH"), list("EFGH"), list("GH")]
    model = estimate(sentences, order=1)
    # n1 = 4, n2 = 2, n3 = 1, n4 = 2 give Y = ½ and discounts 0.5, 1.25 and −1, out of range, so
    # the usual discounts 0.5, 1 and 1.5 stand in; 19 words and ends, 9 different.
    backoff = (4 * 0.5 + 2 * 1.0 + 3 * 1.5) / 19
    assert 10 ** model.log_probability("A", []) == pytest.approx(0.5 / 19 + backoff / 9)
    # With H said three times more, n4 = 1: the last discount becomes 3 − 4 · ½ · 1 = 1.
    model = estimate([list("ABCDHHHH"), *sentences[1:]], order=1)
    backoff = (4 * 0.5 + 2 * 1.25 + 3 * 1.0) / 22
    assert 10 ** model.log_probability("A", []) == pytest.approx(0.5 / 22 + backoff / 9)
    assert 10 ** model.log_probability("G", []) == pytest.approx(2 / 22 + backoff / 9)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("sentences", [THREE, [["A"]], random_sentences(1), random_sentences(2)])
def test_probabilities_sum_to_one_for_every_history(sentences, order):
    model = estimate(sentences, order)
    alphabet = [*model.words, BEGIN]
    for length in range(min(order, 3)):
        for history in itertools.product(alphabet, repeat=length):
            total = sum(10 ** model.log_probability(word, history) for word in [*model.words, END])
            assert total == pytest.approx(1.0, abs=1e-12), history


def test_a_longer_history_than_the_order_does_not_matter():
    model = estimate(THREE, order=2)
    assert model.log_probability("C", ["B", "A"]) == model.log_probability("C", ["A"])


def test_perplexity_of_equally_likely_events():
    # Each of two words is seen once and the end twice: a unigram model of 3 events.
    model = estimate([["A"], ["B"]], order=1)
    logs = [model.log_sentence(["A"]), model.log_sentence(["B"])]
    assert model.perplexity([["A"], ["B"]]) == pytest.approx(10 ** (-sum(logs) / 4))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_arpa_round_trip(tmp_path, order):
    model = estimate(random_sentences(3), order)
    write_arpa(tmp_path / "a.arpa", model)
    again = read_arpa(tmp_path / "a.arpa")
    for written, read in zip(model.log_probabilities, again.log_probabilities, strict=True):
        assert read == pytest.approx(written, abs=1e-8)
    assert again.log_backoffs == pytest.approx(model.log_backoffs, abs=1e-8)
    write_arpa(tmp_path / "b.arpa", again)
    assert (tmp_path / "a.arpa").read_bytes() == (tmp_path / "b.arpa").read_bytes()


def test_remarks_before_the_data_are_passed_over_and_gzip_is_unpacked(tmp_path):
    model = estimate(THREE, order=2)
    write_arpa(tmp_path / "lm.arpa", model)
    remarks = (
        "A remark\nBeginning of data mark: \\data\\\nngram 1=nr # number\n\\1-grams:\np_1 wd\n"
    )
    text = remarks + (tmp_path / "lm.arpa").read_text()
    with gzip.open(tmp_path / "lm.arpa.gz", "wt") as stream:
        stream.write(text)
    assert read_arpa(tmp_path / "lm.arpa.gz") == read_arpa(tmp_path / "lm.arpa")


def kaldi_cost(graph: str, labels: list[int], back_off: int) -> float:
    """Follow the arcs of a grammar written by kaldilm, falling back only where it must."""
    arcs, finals = {}, {}
    lines = [line.split() for line in graph.splitlines() if line.strip()]
    for fields in lines:
        if len(fields) > 2:
            cost = float(fields[4]) if len(fields) > 4 else 0.0
            arcs[fields[0], int(fields[2])] = (fields[1], cost)
        else:
            finals[fields[0]] = float(fields[1]) if len(fields) > 1 else 0.0
    state, total = lines[0][0], 0.0
    for label in labels:
        while (state, label) not in arcs:
            state, cost = arcs[state, back_off]
            total += cost
        state, cost = arcs[state, label]
        total += cost
    while state not in finals:
        state, cost = arcs[state, back_off]
        total += cost
    return total + finals[state]


@pytest.mark.parametrize("order", [2, 3])
def test_kaldi_reads_the_same_sentence_probabilities(tmp_path, order):
    model = estimate(random_sentences(4), order)
    write_arpa(tmp_path / "lm.arpa", model)
    symbols = ["<eps>", *model.words, BEGIN, END, "#0"]
    table = "".join(f"{symbol} {number}\n" for number, symbol in enumerate(symbols))
    (tmp_path / "words.txt").write_text(table)
    graph = kaldilm.arpa2fst(
        str(tmp_path / "lm.arpa"),
        "",
        disambig_symbol="#0",
        read_symbol_table=str(tmp_path / "words.txt"),
    )
    for sentence in [*random_sentences(5), []]:
        labels = [symbols.index(word) for word in sentence if word in model.words]
        known = [symbols[label] for label in labels]
        expected = -math.log(10) * model.log_sentence(known)
        found = kaldi_cost(graph, labels, symbols.index("#0"))
        assert found == pytest.approx(expected, abs=1e-3), sentence


def test_a_word_outside_the_vocabulary_is_named():
    with pytest.raises(ValueError, match=r"'Z'.*not in the vocabulary"):
        estimate(THREE, order=2).log_probability("Z", [])


def test_no_text_is_an_error():
    with pytest.raises(ValueError, match="no sentences"):
        estimate([], order=3)
    with pytest.raises(ValueError, match=r"sentence 1: .*</s>"):
        estimate([["A", "</s>"]], order=3)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\end\\", "", "cut short"),
        ("ngram 2=", "ngram 2=1", "announces"),
        ("\tA B", "\tA B C D", r"line \d+: .*4 words"),
        ("\tA B", "\tA", r"line \d+: .*1 words"),
    ],
)
def test_a_damaged_arpa_file_is_named(tmp_path, old, new, message):
    path = tmp_path / "lm.arpa"
    write_arpa(path, estimate(THREE, order=2))
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ValueError, match=message) as raised:
        read_arpa(path)
    assert str(path) in str(raised.value)
