"""A trained autoencoder as plain arrays: using it needs nothing that training does.

Four layers of weight and bias: two of the encoder, two of the decoder, a ReLU inside each pair.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scripts.lib.files import atomic_path

COUNT = 4
Layers = Sequence[tuple[np.ndarray, np.ndarray]]


def rebuild(vectors: np.ndarray, layers: Layers) -> np.ndarray:
    """Return what the network makes of vectors of shape (rows, dim)."""
    return _through(encode(vectors, layers), layers[2:])


def encode(vectors: np.ndarray, layers: Layers) -> np.ndarray:
    """Return the latent vectors, shape (rows, latent)."""
    return _through(vectors, layers[:2])


def _through(rows: np.ndarray, layers: Layers) -> np.ndarray:
    (weight, bias), (last_weight, last_bias) = layers
    hidden = np.maximum(rows.astype(np.float64) @ weight.T + bias, 0.0)
    return hidden @ last_weight.T + last_bias


def write_layers(path: str | Path, layers: Layers) -> None:
    """Write weights and biases; the same ones give the same bytes."""
    arrays = {}
    for number, (weight, bias) in enumerate(layers):
        arrays |= {f"weight_{number}": weight, f"bias_{number}": bias}
    with atomic_path(path) as temporary:
        np.savez(temporary, **arrays)


def read_layers(path: str | Path) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return what `write_layers` wrote."""
    with np.load(path) as archive:
        return [(archive[f"weight_{n}"], archive[f"bias_{n}"]) for n in range(COUNT)]
