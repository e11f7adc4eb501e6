"""Random crops of utterances: which there are, and how one is read, changed and spoiled."""

import logging
import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
import soundfile
import torch

from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.augmentation import augment
from scripts.lib.manifest import named
from scripts.lib.models.batching import mask_features
from scripts.lib.models.logmel import change_speed
from scripts.lib.seeding import rng_for

logger = logging.getLogger(__name__)
HOP = RATE_HZ // 100
VALIDATION = "validation"


class Crops(torch.utils.data.Dataset):
    """Random crops, each drawn from its own generator, so that loaders may share the work."""

    def __init__(self, crops: pd.DataFrame, index: dict, config: Mapping, seed: int, purpose: str):
        self.rows = list(crops.itertuples())
        self.index, self.config, self.seed, self.purpose = index, config, seed, purpose
        self.length = round(config["crop_s"] * RATE_HZ)
        # The centred transform has a frame at every hop, both ends included.
        self.frames = self.length // HOP + 1

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> tuple[np.ndarray, np.ndarray, int]:
        row = self.rows[number]
        # Validation is free of luck in augmentation: the features stay whole.
        kept = np.ones((self.frames, self.config["mel_bins"]), dtype=np.float32)
        rng = rng_for(self.seed, self.purpose, row.utterance, row.window, f"{row.speed}")
        needed = _samples_read(self.length, row.speed)
        start = int(rng.integers(0, row.samples - needed, endpoint=True))
        samples, _ = soundfile.read(row.path, needed, start, dtype="float32")
        samples = change_speed(samples, row.speed)[: self.length]
        if self.purpose != VALIDATION:
            samples = augment(samples, self.config["augmentation"], rng)
            kept = mask_features(kept, self.config["masks"], rng)
        return samples, kept, self.index[row.voice]


def list_crops(utterances: pd.DataFrame, config: Mapping) -> pd.DataFrame:
    """List one crop per speed and whole window of an utterance that is not quiet."""
    length = round(config["crop_s"] * RATE_HZ)
    rows = []
    for row in utterances.itertuples():
        samples = read_audio(row.path)
        for voice, speed in voices([row.speaker], config["speeds"]).items():
            needed = _samples_read(length, speed)
            for window in range(len(samples) // needed):
                loudness = np.abs(samples[window * needed : (window + 1) * needed]).mean()
                if loudness >= config["quiet"]:
                    rows.append(
                        (row.utterance, row.speaker, voice, speed, row.path, len(samples), window)
                    )
    columns = ["utterance", "speaker", "voice", "speed", "path", "samples", "window"]
    crops = pd.DataFrame(rows, columns=columns)
    left_out = sorted(set(utterances["utterance"]) - set(crops["utterance"]))
    if left_out:
        logger.warning("too short or too quiet for a crop: %s", named(left_out))
    return crops


def voices(speakers: Iterable[str], speeds: Sequence[float]) -> dict[str, float]:
    """Return every class and its speed: a speaker at another speed counts as another one."""
    # Names of speakers hold no blanks, so none can collide.
    return {
        speaker if speed == 1 else f"{speaker} at {speed}": speed
        for speaker in speakers
        for speed in speeds
    }


def _samples_read(length: int, speed: float) -> int:
    """Return how many samples make `length` of them at a speed."""
    return math.ceil(length * speed)


def validation_utterances(
    utterances: pd.DataFrame, crops: pd.DataFrame, share: float, seed: int
) -> set[str]:
    """Draw the utterances that are kept from training, as many as in 2024.

    A voice that would lose all its crops keeps one utterance, so that one recording of a speaker
    is enough.

    Examples
    --------
    >>> utterances = pd.DataFrame({"utterance": list("abcdefghijk")})
    >>> crops = utterances.assign(voice="s")
    >>> len(validation_utterances(utterances, crops, 0.1, 0))
    2
    >>> len(validation_utterances(utterances, crops.assign(voice=crops["utterance"]), 0.1, 0))
    0
    """
    names = sorted(utterances["utterance"])
    count = max(1, len(names) - int((1 - share) * len(names)))
    drawn = set(rng_for(seed, VALIDATION).choice(names, count, replace=False).tolist())
    for _, own in crops.groupby("voice")["utterance"]:
        if drawn.issuperset(own):
            drawn.remove(min(own))
    return drawn
