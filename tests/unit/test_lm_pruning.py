import itertools
import math

import pytest

from scripts.lib.language_model import BEGIN, END, LanguageModel, estimate
from scripts.lib.lm_pruning import prune
from tests.unit.test_language_model import random_sentences

SENTENCES = random_sentences(6, count=60)


def distribution(model: LanguageModel, history: tuple[str, ...]) -> dict[str, float]:
    return {word: 10 ** model.log_probability(word, history) for word in [*model.words, END]}


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("threshold", [1e-4, 1e-3, 1e-2, 10.0])
def test_a_pruned_model_is_a_distribution_for_every_history(order, threshold):
    model = prune(estimate(SENTENCES, order), threshold)
    for length in range(3):
        for history in itertools.product([*model.words, BEGIN], repeat=length):
            total = sum(distribution(model, history).values())
            assert total == pytest.approx(1.0, abs=1e-9), history


def test_a_higher_threshold_leaves_fewer_ngrams_and_more_perplexity():
    full = estimate(SENTENCES, 3)
    models = [full] + [prune(full, threshold) for threshold in (1e-4, 1e-3, 1e-2, 10.0)]
    sizes = [sum(map(len, model.log_probabilities)) for model in models]
    assert sizes == sorted(set(sizes), reverse=True)
    assert [len(level) for level in models[-1].log_probabilities[1:]] == [0, 0]
    perplexities = [model.perplexity(SENTENCES) for model in models]
    assert perplexities == sorted(perplexities)


def test_what_goes_and_what_stays_follows_from_relative_entropy():
    full = estimate(SENTENCES, 2)
    threshold = 1e-3
    pruned = prune(full, threshold)
    outcomes = set()
    for history, word in full.log_probabilities[1]:
        # The model without this bigram alone, by hand.
        listed = [w for h, w in full.log_probabilities[1] if h == history and w != word]
        before, below = distribution(full, (history,)), distribution(full, ())
        weight = 1 - sum(before[w] for w in listed)
        weight /= 1 - sum(below[w] for w in listed)
        after = {w: before[w] if w in listed else weight * below[w] for w in before}
        assert sum(after.values()) == pytest.approx(1.0)
        entropy = sum(before[w] * math.log(before[w] / after[w]) for w in before)
        frequency = 1.0 if history == BEGIN else below[history]
        stays = math.exp(frequency * entropy) - 1 >= threshold
        assert ((history, word) in pruned.log_probabilities[1]) == stays, (history, word)
        outcomes.add(stays)
    assert outcomes == {True, False}


def test_the_beginning_of_a_kept_ngram_is_kept():
    model = prune(estimate(SENTENCES, 3), 2e-3)
    trigrams, bigrams = model.log_probabilities[2], model.log_probabilities[1]
    assert trigrams
    assert {ngram[:2] for ngram in trigrams} - {(BEGIN,)} <= set(bigrams)
    assert {history for history in model.log_backoffs if len(history) == 2} == {
        ngram[:2] for ngram in trigrams
    }
