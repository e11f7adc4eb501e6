"""Speaker embeddings of a dataset, one archive per part."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from scripts.lib.files import atomic_path
from scripts.lib.manifest import named


def save_embeddings(path: str | Path, embeddings: Mapping[str, np.ndarray]) -> None:
    """Write one vector of shape (dim,) per key, sorted by key."""
    keys = sorted(embeddings)
    vectors = np.stack([embeddings[key] for key in keys])
    with atomic_path(path) as temporary:
        np.savez(temporary, keys=np.array(keys), vectors=vectors)


def load_embeddings(paths: Iterable[str | Path]) -> dict[str, np.ndarray]:
    """Return one vector of shape (dim,) per key of all parts, sorted by key."""
    vectors = {}
    for path in paths:
        with np.load(path) as archive:
            vectors |= zip(archive["keys"].tolist(), archive["vectors"], strict=True)
    # The order decides how matrix products round, so it must not depend on the parts.
    return dict(sorted(vectors.items()))


def stack_embeddings(embeddings: Mapping[str, np.ndarray], keys: Iterable[str]) -> np.ndarray:
    """Return the vectors of some keys as a matrix of shape (keys, dim), in their order.

    Examples
    --------
    >>> stack_embeddings({"a": np.array([1.0])}, ["a", "b"])
    Traceback (most recent call last):
    ValueError: utterance b without an embedding
    """
    keys = list(keys)
    missing = [key for key in keys if key not in embeddings]
    if missing:
        raise ValueError(f"{named(missing)} without an embedding")
    return np.stack([embeddings[key] for key in keys])
