"""Read values of a system's params that are either fixed or drawn from a range."""

from collections.abc import Mapping
from typing import Protocol


class Generator(Protocol):
    """What drawing needs: numpy's generators and Python's `random.Random` both have it."""

    def uniform(self, low: float, high: float) -> float:
        """Return one value between two limits."""


def value_from(rng: Generator, entry: float | Mapping[str, list[float]]) -> float:
    """Return a number as it is, or one draw from `{"uniform": [low, high]}`.

    A fixed number leaves the generator alone.

    Examples
    --------
    >>> import random
    >>> value_from(random.Random(0), 0.8)
    0.8
    >>> 0.5 <= value_from(random.Random(0), {"uniform": [0.5, 0.9]}) <= 0.9
    True
    """
    if isinstance(entry, Mapping):
        low, high = entry["uniform"]
        return float(rng.uniform(low, high))
    return float(entry)


def seed_from(rng: Generator) -> int:
    """Return one draw as a seed below 2^32, small enough for every program's option.

    Examples
    --------
    >>> import random
    >>> seed_from(random.Random(0)) == seed_from(random.Random(0)) != seed_from(random.Random(1))
    True
    """
    return int(rng.uniform(0.0, 1.0) * 2**32)
