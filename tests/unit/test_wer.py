import numpy as np
import pandas as pd
import pytest

from scripts.lib.wer import ERRORS, count_errors, wer_interval, word_error_rate


def transcripts(*pairs: tuple[str, str]) -> pd.DataFrame:
    rows = [(f"u{n}", *pair) for n, pair in enumerate(pairs)]
    return pd.DataFrame(rows, columns=["utterance", "reference", "hypothesis"])


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        ("THE CAT SAT", "THE CAT SAT", (0, 0, 0, 3)),
        ("THE CAT SAT", "THE HAT SAT", (1, 0, 0, 3)),
        ("THE CAT SAT", "THE SAT", (0, 1, 0, 3)),
        ("THE CAT SAT", "THE BIG CAT SAT DOWN", (0, 0, 2, 3)),
        ("THE CAT SAT", "", (0, 3, 0, 3)),
        ("A B C D E F", "X Y C E F G", (2, 1, 1, 6)),
    ],
)
def test_errors_by_hand(reference, hypothesis, expected):
    counts = count_errors(transcripts((reference, hypothesis))).iloc[0]
    assert tuple(counts[[*ERRORS, "words"]]) == expected


def test_rate_is_pooled_not_averaged_over_utterances():
    counts = count_errors(transcripts(("A", "B"), ("A B C D E F G H I", "A B C D E F G H I")))
    assert word_error_rate(counts) == 1 / 10


def test_rate_may_exceed_one():
    assert word_error_rate(count_errors(transcripts(("A", "B C D")))) == 3.0


def test_an_empty_reference_is_named():
    with pytest.raises(ValueError, match="utterance u1: has no reference"):
        count_errors(transcripts(("A", "A"), ("", "A")))


def speaker_counts(errors: list[int], words: list[int]) -> pd.DataFrame:
    zeros = [0] * len(errors)
    return pd.DataFrame(
        {"substitutions": errors, "deletions": zeros, "insertions": zeros, "words": words}
    )


def test_interval_has_no_width_where_speakers_agree():
    counts = speaker_counts([1, 2, 3], [10, 20, 30])
    low, high = wer_interval(counts, pd.Series(["a", "b", "c"]), seed=0)
    assert low == pytest.approx(0.1)
    assert high == pytest.approx(0.1)


def test_interval_depends_on_speakers_not_on_utterances():
    # Ten utterances of two speakers: as wide as if each speaker had said one long utterance.
    speakers = pd.Series(["a", "b"] * 5)
    split = wer_interval(speaker_counts([0, 2] * 5, [10] * 10), speakers, seed=0)
    whole = wer_interval(speaker_counts([0, 10], [50, 50]), pd.Series(["a", "b"]), seed=0)
    assert split == whole == pytest.approx((0.0, 0.2))


def test_interval_does_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    counts = speaker_counts(list(rng.integers(0, 4, 40)), [10] * 40)
    speakers = pd.Series([f"s{n % 8}" for n in range(40)])
    order = rng.permutation(40)
    shuffled = wer_interval(counts.iloc[order], speakers.iloc[order], seed=3)
    assert wer_interval(counts, speakers, seed=3) == shuffled


def test_interval_matches_the_standard_error_of_many_speakers():
    rng = np.random.default_rng(1)
    errors = rng.binomial(100, rng.uniform(0.05, 0.15, 200))
    counts = speaker_counts(list(errors), [100] * 200)
    low, high = wer_interval(counts, pd.Series([f"s{n}" for n in range(200)]), seed=0)
    spread = errors.std(ddof=1) / 100 / np.sqrt(200)
    assert (high - low) / 2 == pytest.approx(1.96 * spread, rel=0.15)
    assert low < word_error_rate(counts) < high


def test_one_speaker_has_no_interval():
    low, high = wer_interval(speaker_counts([1, 2], [5, 5]), pd.Series(["a", "a"]), seed=0)
    assert np.isnan(low)
    assert np.isnan(high)
