"""One shard of a dataset, as a method sees it that needs more than samples and a voice."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

Output = tuple[str, np.ndarray]


@dataclass(frozen=True)
class Shard:
    """The work of one job.

    Parameters
    ----------
    utterances
        Rows of the manifest: utterance, speaker, gender, subset, path, duration_s, …
    voices
        The pseudo-voice of each utterance.
    system
        Entry of the system with its `name` and `params`.
    read
        Returns the samples of an original recording at 16 kHz, as the dataset allows.
    threads
        How many the job may use; no result may depend on it.
    index
        Path of the table of a system's finished audio, for the method that has such.
    """

    utterances: pd.DataFrame
    voices: Mapping[str, Mapping[str, Any]]
    system: Mapping[str, Any]
    read: Callable[[str], np.ndarray]
    threads: int = 1
    index: str = ""

    @property
    def params(self) -> Mapping[str, Any]:
        """The settings of the method."""
        return self.system["params"]


def process_each(process: Callable, shard: Shard) -> Iterator[Output]:
    """Yield name and new samples of each utterance, by a method that takes one at a time."""
    for row in shard.utterances.itertuples():
        yield (
            row.utterance,
            process(shard.read(row.path), shard.voices[row.utterance], shard.params),
        )
