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
    paths
        Files written by `write_features`.
    """

    def __init__(self, *paths: str | Path) -> None:
        self._paths = paths
        self._archives = {
            name: archive
            for archive in (np.load(path, allow_pickle=False) for path in paths)
            for name in archive.files
        }

    def __getitem__(self, utterance: str) -> np.ndarray:
        if utterance not in self._archives:
            raise ValueError(
                f"{', '.join(map(str, self._paths))}: holds no features of utterance {utterance}"
            )
        return self._archives[utterance][utterance]

    def __iter__(self) -> Iterator[str]:
        return iter(self._archives)

    def __len__(self) -> int:
        return len(self._archives)

    def __contains__(self, utterance: object) -> bool:
        return utterance in self._archives


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


def read_features(*paths: str | Path) -> Features:
    """Return the arrays of one or several files by utterance."""
    return Features(*paths)
