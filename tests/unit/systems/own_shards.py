"""A shard of tones and the steps of a job, for the methods that take in systems of the user's."""

from functools import partial

import pandas as pd

from scripts.lib.audio import read_audio
from scripts.lib.pseudovoices import pseudo_voices
from scripts.lib.shards import Shard
from tests.factories import make_utterances

SPEAKERS = {"f1": "f", "m1": "m"}


def make_manifest(folder, count=2, subset="trials_f") -> pd.DataFrame:
    rows = make_utterances(folder, SPEAKERS, count, duration_s=0.2, subset=subset)
    return rows.assign(path=[str(folder / path) for path in rows["path"]])


def make_shard(method, utterances, params, part=slice(None), index="", **system) -> Shard:
    entry = {
        "name": "mine",
        "level": "speaker",
        "training_level": "utterance",
        "seeding": "hashed",
        "seed": 0,
        "params": params,
        **system,
    }
    dataset = {"name": "d", "subsets": ["enrol", "trials_f"]}
    voices = pseudo_voices(utterances, entry, dataset, method.draw)
    read = partial(read_audio, resample=False, downmix=False)
    return Shard(utterances.iloc[part], voices, entry, read, threads=3, index=index)
