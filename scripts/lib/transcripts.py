"""Transcripts of a dataset: which utterances are heard, and what a row says of one."""

import pandas as pd

COLUMNS = [
    "utterance",
    "speaker",
    "subset",
    "lm_weight",
    "insertion_penalty",
    "reference",
    "hypothesis",
]


def trial_utterances(table: pd.DataFrame) -> pd.DataFrame:
    """Return the utterances whose words count: those of subsets named "trials…"."""
    return table[table["subset"].str.startswith("trials")]
