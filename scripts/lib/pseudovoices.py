"""Give every utterance its pseudo-voice, by level and seeding rule.

The level says what shares a voice; the seeding rule says which generator draws it. Either way a
voice depends on names only, so that shards and order of work cannot change it.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scripts.lib.seeding import digest_of, rng_for

Voice = dict[str, Any]
TRAINING_SUBSET = "train"


@dataclass(frozen=True)
class Sharers:
    """Utterances that share a pseudo-voice, and the generator that draws it.

    Parameters
    ----------
    level
        What shares the voice.
    key
        The speaker or utterance, empty for a voice of the whole corpus.
    utterances
        Names, in the order of the manifest.
    rng
        Some rules hand one generator to several in turn, so voices have to be drawn in order.
    """

    level: str
    key: str
    utterances: tuple[str, ...]
    rng: Any


def pseudo_voices(
    utterances: pd.DataFrame,
    system: Mapping,
    dataset: Mapping,
    draw: Callable[[Any, Mapping], Voice],
) -> dict[str, Voice]:
    """Return the pseudo-voice of each utterance of a dataset.

    Parameters
    ----------
    utterances
        The whole manifest, all shards, with columns utterance, speaker and subset.
    system
        Entry of the system with its `name`.
    dataset
        Its `name`, its `subsets` in order, and perhaps `first_seed`.
    draw
        Chooses one pseudo-voice from a generator and the system's params.
    """
    voices: dict[str, Voice] = {}
    for sharers in voice_sharers(utterances, system, dataset):
        voices |= dict.fromkeys(sharers.utterances, draw(sharers.rng, system["params"]))
    return voices


def voice_sharers(utterances: pd.DataFrame, system: Mapping, dataset: Mapping) -> Iterator[Sharers]:
    """Yield the utterances of each pseudo-voice within each subset, in the order of the draws.

    A voice that subsets share comes once for each of them, with the same draws.
    """
    for subset, part in utterances.groupby("subset", sort=False):
        level = system["training_level" if subset == TRAINING_SUBSET else "level"]
        spoken: dict[str, list[str]] = {}
        for name, key in zip(part["utterance"], _keys(part, level), strict=True):
            spoken.setdefault(key, []).append(name)
        generators = _generators(str(subset), level, system, dataset)
        for key in sorted(spoken):
            yield Sharers(level, key, tuple(spoken[key]), generators(key))


def _keys(part: pd.DataFrame, level: str) -> list[str]:
    if level == "constant":
        return [""] * len(part)
    return list(part["utterance" if level == "utterance" else "speaker"])


def _generators(subset: str, level: str, system: Mapping, dataset: Mapping) -> Callable[[str], Any]:
    """Return the generator of each key of a subset."""
    if system["seeding"] == "hashed":
        # Voices of these two levels are shared between subsets, so no subset may enter the hash.
        shared = level in ("constant", "global_speaker")
        place = "" if shared else f"{dataset['name']}/{subset}"
        return lambda key: rng_for(system["seed"], system["name"], place, key)
    if system["seeding"] == "vpc2024_order" and level in ("speaker", "global_speaker"):
        return lambda key: np.random.default_rng(digest_of(key) >> 224)
    if system["seeding"] == "vpc2024_order":
        generator = np.random.default_rng(digest_of("VPC2024") >> 224)
    else:
        generator = random.Random(_set_seed(subset, system, dataset))
    # The organisers consume one generator per subset in list order, which is sorted order.
    return lambda key: generator


def _set_seed(subset: str, system: Mapping, dataset: Mapping) -> str:
    if "first_seed" not in dataset:
        raise ValueError(
            f"system {system['name']}: seeding vpc2020_order needs the key first_seed "
            f"in dataset {dataset['name']}"
        )
    # The 2020 scripts hand the counter to the generator as text, which seeds differently.
    return str(dataset["first_seed"] + dataset["subsets"].index(subset))
