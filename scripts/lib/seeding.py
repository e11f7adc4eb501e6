"""Derive a random generator from a seed and the names of what it is for.

No generator is shared between items, so neither shards, batch sizes, thread counts nor the order
of work can change a drawn value.
"""

import hashlib

import numpy as np


def rng_for(seed: int, *ids: str | int) -> np.random.Generator:
    """Return the generator of one item.

    Parameters
    ----------
    seed
        The run's seed.
    ids
        Names that say what is drawn, for example a system, a subset and a speaker.

    Examples
    --------
    >>> bool(rng_for(0, "b2", "u1").random() == rng_for(0, "b2", "u1").random())
    True
    >>> bool(rng_for(0, "b2", "u1").random() == rng_for(0, "b2", "u2").random())
    False
    """
    return np.random.default_rng(digest_of(seed, *ids))


def digest_of(*parts: str | int) -> int:
    """Return a 256-bit integer that is the same in every process and on every machine.

    Examples
    --------
    >>> digest_of("VPC2024") >> 224  # the seed rule of VoicePrivacy 2024
    4284258105
    """
    return int(hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest(), 16)
