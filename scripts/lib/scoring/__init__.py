"""How the two sides of a trial are compared: one method per module, each with a class `Scorer`."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np


class Scorer(Protocol):
    """Scores of enrolled speakers against single utterances, as matrices.

    It is built from the key `scoring` of an asv entry and from files that belong to the model.
    Both sides are prepared once and may be cut into blocks of rows before they are compared.
    """

    def __init__(self, config: Mapping, files: Sequence[str]):
        """Take settings and read the method's files."""

    def enrol(self, speakers: Sequence[np.ndarray]) -> np.ndarray:
        """Return one row per speaker, given raw embeddings of shape (utterances, dim) of each."""

    def probe(self, vectors: np.ndarray) -> np.ndarray:
        """Return one row per utterance, given raw embeddings of shape (utterances, dim)."""

    def score(self, enrolled: np.ndarray, probes: np.ndarray) -> np.ndarray:
        """Return scores of shape (rows of `enrolled`, rows of `probes`); high = same speaker."""


def load_scorer(config: Mapping, files: Sequence[str]) -> Scorer:
    """Return the scorer that an asv entry chooses.

    Parameters
    ----------
    config
        Key `scoring` of an entry of config/asv; `method` names the module.
    files
        Files that the method needs beside the embeddings; most methods need none.
    """
    return importlib.import_module(f"scripts.lib.scoring.{config['method']}").Scorer(config, files)
