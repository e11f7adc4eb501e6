"""Word error rate of transcripts, pooled over utterances, with an interval over speakers."""

import jiwer
import numpy as np
import pandas as pd

from scripts.lib.metrics.bootstrap import widened_tail
from scripts.lib.seeding import rng_for

ERRORS = ("substitutions", "deletions", "insertions")
_KINDS = {"substitute": "substitutions", "delete": "deletions", "insert": "insertions"}


def count_errors(transcripts: pd.DataFrame) -> pd.DataFrame:
    """Return errors and reference words of each utterance, one row each, in order.

    Parameters
    ----------
    transcripts
        Columns `utterance`, `reference` and `hypothesis`, words separated by spaces.

    Examples
    --------
    >>> row = {"utterance": "u1", "reference": "A B C", "hypothesis": "A X C D"}
    >>> count_errors(pd.DataFrame([row])).iloc[0].to_dict()
    {'substitutions': 1, 'deletions': 0, 'insertions': 1, 'words': 3}
    """
    for row in transcripts[transcripts["reference"].str.strip() == ""].itertuples():
        raise ValueError(f"utterance {row.utterance}: has no reference to count errors against")
    compared = jiwer.process_words(list(transcripts["reference"]), list(transcripts["hypothesis"]))
    rows = []
    for reference, chunks in zip(compared.references, compared.alignments, strict=True):
        counts = dict.fromkeys(ERRORS, 0)
        for chunk in chunks:
            if chunk.type != "equal":
                reference_words = chunk.ref_end_idx - chunk.ref_start_idx
                hypothesis_words = chunk.hyp_end_idx - chunk.hyp_start_idx
                counts[_KINDS[chunk.type]] += max(reference_words, hypothesis_words)
        rows.append({**counts, "words": len(reference)})
    return pd.DataFrame(rows, index=transcripts.index)


def word_error_rate(counts: pd.DataFrame) -> float:
    """Return (S + D + I) / N over all utterances; it can exceed 1.

    Examples
    --------
    >>> counts = {"substitutions": [1, 0], "deletions": [0, 0], "insertions": [1, 0]}
    >>> word_error_rate(pd.DataFrame({**counts, "words": [3, 5]}))
    0.25
    """
    return float(counts[list(ERRORS)].sum(axis=None) / counts["words"].sum())


def wer_interval(
    counts: pd.DataFrame,
    speakers: pd.Series,
    *,
    seed: int,
    replicates: int = 1000,
    level: float = 0.95,
) -> tuple[float, float]:
    """Return the ends of a bootstrap interval of the pooled WER.

    Whole speakers are drawn with replacement, because errors cluster in them; percentiles are
    widened for few speakers as in `widened_tail`. One speaker alone gives no interval: (nan, nan).

    Parameters
    ----------
    counts
        What `count_errors` returns.
    speakers
        Speaker of each of its rows.
    seed
        Seed of the draws.
    replicates
        Number of draws.
    level
        Coverage aimed at.
    """
    errors = counts[list(ERRORS)].sum(axis=1).groupby(speakers.to_numpy()).sum().to_numpy()
    words = counts["words"].groupby(speakers.to_numpy()).sum().to_numpy()
    if len(words) < 2:
        return float("nan"), float("nan")
    drawn = rng_for(seed, "wer").integers(len(words), size=(replicates, len(words)))
    rates = errors[drawn].sum(axis=1) / words[drawn].sum(axis=1)
    tail = widened_tail(len(words), level)
    low, high = np.quantile(rates, [tail, 1 - tail])
    return float(low), float(high)
