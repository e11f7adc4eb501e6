"""Speaker embeddings of a dataset in one archive."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from scripts.lib.files import atomic_path


def save_embeddings(path: str | Path, embeddings: Mapping[str, np.ndarray]) -> None:
    """Write one vector of shape (dim,) per key, sorted by key."""
    keys = sorted(embeddings)
    vectors = np.stack([embeddings[key] for key in keys])
    with atomic_path(path) as temporary:
        np.savez(temporary, keys=np.array(keys), vectors=vectors)


def load_embeddings(path: str | Path) -> dict[str, np.ndarray]:
    """Return one vector of shape (dim,) per key."""
    with np.load(path) as archive:
        return dict(zip(archive["keys"].tolist(), archive["vectors"], strict=True))
