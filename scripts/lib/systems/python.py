"""Anonymize with a function of the user's: `module:callable`, called once per utterance.

The pseudo-voice is a seed. Every call gets a new generator made from it, so utterances that share
a voice see the same draws, and neither shards nor order can change them.
"""

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scripts.lib.audio import RATE_HZ
from scripts.lib.shards import Output, Shard
from scripts.lib.systems.ranges import Generator, seed_from


def draw(rng: Generator, params: Mapping[str, Any]) -> dict[str, int]:
    """Choose the seed of the generator that the function is handed."""
    return {"seed": seed_from(rng)}


def process_shard(shard: Shard) -> Iterator[Output]:
    """Yield name and new samples of each utterance.

    The function is called as `function(waveform, rate, speaker, gender, rng)`: float32 samples in
    [-1, 1), 16000, two strings, and numpy's generator. It returns samples at 16 kHz in [-1, 1], of
    any positive length.
    """
    params = shard.params
    function = load_function(params["function"], params["path"])
    for row in shard.utterances.itertuples():
        rng = np.random.default_rng(shard.voices[row.utterance]["seed"])
        origin = f"utterance {row.utterance}: {params['function']}"
        samples = shard.read(row.path)
        try:
            result = function(samples, RATE_HZ, row.speaker, row.gender, rng)
        except Exception as error:
            raise ValueError(f"{origin} raised {type(error).__name__}: {error}") from error
        yield row.utterance, checked_samples(result, origin)


def load_function(name: str, folder: str) -> Callable[..., Any]:
    """Return `module:callable` from a folder.

    Parameters
    ----------
    name
        Module and callable with a colon between.
    folder
        Where the module, or the package it is part of, lies.
    """
    module_name, attribute = name.split(":")
    home = Path(folder).resolve()
    # It stays there, because a function may import when it is called.
    if str(home) not in sys.path:
        sys.path.insert(0, str(home))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{name}: no module {error.name!r}; set `path` to the folder that holds "
            f"{module_name} and install what it imports into the environment of the run"
        ) from error
    found = getattr(module, "__file__", None)
    if found is None or home not in Path(found).resolve().parents:
        raise ValueError(
            f"{name}: the name {module_name!r} belongs to {found or 'a folder'}, not to a module "
            f"in {home}; rename yours or correct `path`"
        )
    function = getattr(module, attribute, None)
    if not callable(function):
        raise ValueError(f"{name}: {found} holds no function {attribute!r}")
    return function


def checked_samples(result: Any, origin: str) -> np.ndarray:
    """Return what a function gave back as float64 samples, or say what is wrong with it.

    Examples
    --------
    >>> checked_samples([0.5, 1.5], "utterance u1")
    Traceback (most recent call last):
    ValueError: utterance u1 returned a peak of 1.500; scale it into [-1, 1]
    """
    try:
        samples = np.asarray([] if result is None else result, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{origin} returned {type(result).__name__}, not samples") from error
    if samples.ndim != 1:
        raise ValueError(f"{origin} returned shape {samples.shape}; expected mono samples, (n,)")
    if len(samples) == 0:
        raise ValueError(f"{origin} returned no samples")
    if not np.isfinite(samples).all():
        where = int(np.argmin(np.isfinite(samples)))
        raise ValueError(f"{origin} returned {samples[where]} as sample {where}")
    peak = float(np.abs(samples).max())
    if peak > 1.0:
        raise ValueError(f"{origin} returned a peak of {peak:.3f}; scale it into [-1, 1]")
    return samples
