"""Features of a shard of a dataset: one array per utterance in one archive, written as it comes."""

import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from scripts.lib.files import atomic_path


class Features(Mapping[str, np.ndarray]):
    """Arrays by utterance, read one at a time when they are asked for.

    Parameters
    ----------
    path
        File written by `write_features`.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._archive = np.load(path, allow_pickle=False)

    def __getitem__(self, utterance: str) -> np.ndarray:
        if utterance not in self._archive:
            raise ValueError(f"{self._path}: holds no features of utterance {utterance}")
        return self._archive[utterance]

    def __iter__(self) -> Iterator[str]:
        return iter(self._archive)

    def __len__(self) -> int:
        return len(self._archive)

    def __contains__(self, utterance: object) -> bool:
        return utterance in self._archive


def write_features(path: str | Path, features: Iterable[tuple[str, np.ndarray]]) -> int:
    """Write arrays one after the other, so that no more than one is in memory; return how many.

    Parameters
    ----------
    path
        An npz file. The same arrays in the same order give the same bytes.
    features
        Name of an utterance and its array, which is stored as float32.
    """
    names = set()
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, array in features:
            if name in names:
                raise ValueError(f"{path}: utterance {name} comes twice")
            if not np.isfinite(array).all():
                raise ValueError(f"{path}: utterance {name} has features that are not finite")
            names.add(name)
            # A fresh entry bears the year 1980, not the time of writing.
            entry = zipfile.ZipInfo(f"{name}.npy")
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asarray(array, dtype=np.float32))
    return len(names)


def read_features(path: str | Path) -> Features:
    """Return the arrays of a file by utterance."""
    return Features(path)
