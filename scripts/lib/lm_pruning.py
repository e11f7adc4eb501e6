"""Make a back-off language model smaller by leaving out n-grams that change it least."""

import math
from collections import defaultdict

from scripts.lib.language_model import BEGIN, LanguageModel, Ngram

# A sum of probabilities this close to one is one but for rounding.
TINY = 1e-12


def prune(model: LanguageModel, threshold: float) -> LanguageModel:
    """Return a smaller model that is still a probability distribution.

    After Stolcke (1998): from the longest n-grams down, an n-gram goes if leaving it alone out
    raises the perplexity by a share below the threshold, and if no kept longer n-gram begins with
    it. The share is exp(D) − 1, where D is the relative entropy of the history's distribution
    before and after, times the history's probability.

    Parameters
    ----------
    model
        The model to prune; unigrams always stay.
    threshold
        As SRILM's option `-prune`: the small model of LibriSpeech has 3e-7.

    Examples
    --------
    >>> from scripts.lib.language_model import estimate
    >>> model = estimate([["A", "B"], ["A", "C"], ["A", "B"]], order=3)
    >>> [[len(level) for level in prune(model, limit).log_probabilities] for limit in (1e-9, 9.0)]
    [[5, 5, 4], [5, 0, 0]]
    """
    levels = [dict(level) for level in model.log_probabilities]
    for length in range(model.order, 1, -1):
        longer = levels[length] if length < model.order else {}
        needed = {ngram[:-1] for ngram in longer}
        for history, ngrams in _by_history(levels[length - 1]).items():
            kept = _kept(model, history, ngrams, needed, threshold)
            for ngram in set(ngrams) - set(kept):
                del levels[length - 1][ngram]
    return _normalised(levels)


def _normalised(levels: list[dict[Ngram, float]]) -> LanguageModel:
    """Return a model whose back-off weights share out what its n-grams leave, from the shortest."""
    backoffs: dict[Ngram, float] = {}
    model = LanguageModel(levels, backoffs)
    for level in levels[1:]:
        for history, ngrams in _by_history(level).items():
            left, below = _left(model, ngrams), _left_below(model, ngrams)
            # A history listed with every word never falls back.
            backoffs[history] = math.log10(left / below) if left > TINY and below > TINY else 0.0
    return model


def _by_history(level: dict[Ngram, float]) -> dict[Ngram, list[Ngram]]:
    found: dict[Ngram, list[Ngram]] = defaultdict(list)
    for ngram in level:
        found[ngram[:-1]].append(ngram)
    return found


def _kept(
    model: LanguageModel,
    history: Ngram,
    ngrams: list[Ngram],
    needed: set[Ngram],
    threshold: float,
) -> list[Ngram]:
    left, left_below = _left(model, ngrams), _left_below(model, ngrams)
    log_backoff = math.log(10) * model.log_backoffs[history]
    weight = 10 ** _log_history(model, history)
    kept = []
    for ngram in ngrams:
        value = 10 ** model.log_probabilities[len(ngram) - 1][ngram]
        below = 10 ** model.log_probability(ngram[-1], history[1:])
        log_new = math.log((left + value) / (left_below + below))
        entropy = value * (math.log(value) - math.log(below) - log_new)
        entropy += left * (log_backoff - log_new)
        if ngram in needed or math.expm1(weight * entropy) >= threshold:
            kept.append(ngram)
    return kept


def _left(model: LanguageModel, ngrams: list[Ngram]) -> float:
    """Return the probability that a history leaves to words it is not listed with."""
    level = model.log_probabilities[len(ngrams[0]) - 1]
    return max(0.0, 1.0 - math.fsum(10 ** level[ngram] for ngram in ngrams))


def _left_below(model: LanguageModel, ngrams: list[Ngram]) -> float:
    """Return the probability of those words after the shorter history."""
    return max(0.0, 1.0 - math.fsum(10 ** model.log_probability(n[-1], n[1:-1]) for n in ngrams))


def _log_history(model: LanguageModel, history: Ngram) -> float:
    """Return log10 of the probability of a history, where a sentence's beginning is certain.

    It comes from the model's own short n-grams, as in SRILM. Kneser–Ney makes these for falling
    back, not for the frequency of words, so that pruning keeps somewhat other n-grams than counts
    would (Chelba et al., 2010).
    """
    first = 1 if history[0] == BEGIN else 0
    return sum(
        model.log_probability(history[place], history[:place])
        for place in range(first, len(history))
    )
