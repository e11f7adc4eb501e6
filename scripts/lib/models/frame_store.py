"""Feature matrices of a training, kept on disk for its epochs."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

Key = TypeVar("Key")


class FrameStore:
    """Arrays of shape (frames, dim), one per entry, in an unnamed file mapped into memory.

    The file lies in the folder for temporary files (TMPDIR): a small corpus stays in the page
    cache, a large one need not fit, and a killed job leaves nothing behind. With 80 dimensions a
    second of speech takes 32 kB, with 30 it takes 12 kB.

    Parameters
    ----------
    arrays
        One array per entry; asked for one after the other.
    dim
        Their common number of columns.

    Examples
    --------
    >>> store = FrameStore([np.zeros((2, 3)), np.ones((1, 3))], dim=3)
    >>> store.lengths().tolist(), store[1].tolist()
    ([2, 1], [[1.0, 1.0, 1.0]])
    """

    def __init__(self, arrays: Iterable[np.ndarray], dim: int) -> None:
        starts = [0]
        with tempfile.TemporaryFile() as file:
            for array in arrays:
                file.write(np.ascontiguousarray(array, dtype=np.float32).tobytes())
                starts.append(starts[-1] + len(array))
            file.flush()
            shape = (starts[-1], dim)
            self._frames = np.memmap(file, dtype=np.float32, mode="r", shape=shape)
        self._starts = np.array(starts)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def lengths(self) -> np.ndarray:
        """Return the number of frames of each entry."""
        return np.diff(self._starts)

    def __getitem__(self, index: int) -> np.ndarray:
        """Return a copy of one entry, of shape (frames, dim)."""
        return self.piece(index, 0, int(self._starts[index + 1] - self._starts[index]))

    def piece(self, index: int, start: int, length: int) -> np.ndarray:
        """Return a copy of `length` frames of one entry, from its frame `start` on."""
        first = self._starts[index] + start
        return np.array(self._frames[first : first + length])


def in_parallel(
    extract: Callable[[Key], np.ndarray], keys: Sequence[Key], threads: int
) -> Iterator[np.ndarray]:
    """Yield the array of each key in order, a block of them at a time, so that none pile up.

    Examples
    --------
    >>> [array.tolist() for array in in_parallel(np.zeros, [1, 2], threads=2)]
    [[0.0], [0.0, 0.0]]
    """
    with ThreadPoolExecutor(threads) as pool:
        for block in range(0, len(keys), 256):
            yield from pool.map(extract, keys[block : block + 256])
