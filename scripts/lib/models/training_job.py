"""Train any model from manifests to files: data, checkpoint, weights, loss curve and card."""

import importlib
import logging
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd

from scripts.lib.manifest import named, read_manifests, write_table
from scripts.lib.model_card import data_summary, write_card
from scripts.lib.models.gpus import processors, use_gpus
from scripts.lib.models.training import fit, load_state, save_state, use_threads
from scripts.lib.models.updates import epochs_of
from scripts.lib.provenance import file_digest, fingerprint

logger = logging.getLogger(__name__)


def train_model(
    *,
    manifests: Sequence[str],
    model: str,
    curve: str,
    card: str,
    sources: Sequence[str],
    seed: int,
    threads: int,
    gpus: int,
    config: Mapping,
    initial: Sequence[str] = (),
    features: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Train until the last epoch, then write the model, its loss curve and its card.

    The checkpoint stands beside the model while the training runs. It is no declared output of
    the job, so it outlives a kill; it goes once the model is written.

    Parameters
    ----------
    manifests
        Audio manifests of the training data, dataset by dataset.
    model, curve, card
        Files to write.
    sources
        Files of code that a checkpoint depends on.
    seed
        Seed of the training.
    threads, gpus
        Cores and GPUs it may use.
    config
        `model`: the entry of the model, with its `backend`, `training_data` and `epochs` or
        `updates`; `shards`: how many manifests each dataset has.
    initial
        The file of a model to start from, or none.
    features
        Files that a training hears beside the recordings, by kind, for a backend that takes them.
    """
    use_threads(threads)
    use_gpus(gpus)
    entry = config["model"]
    datasets = training_datasets(manifests, entry["training_data"], config["shards"])
    utterances = pd.concat(datasets.values()).sort_values("utterance", ignore_index=True)
    backend = importlib.import_module(f"scripts.lib.models.{entry['backend']}")
    further = () if features is None else (features,)
    training = backend.Training(utterances, entry, seed, threads, *further)
    for start in initial:
        training.start_from(load_state(start))
    checkpoint = Path(model).with_name("checkpoint.pt")
    heard = [file_digest(file) for files in (features or {}).values() for file in files]
    figures = fit(
        training,
        epochs=epochs_of(entry),
        seed=seed,
        checkpoint=checkpoint,
        fingerprint=fingerprint(
            {**entry, "seed": seed}, [*utterances["sha256"], *heard], [*sources, *initial]
        ),
    )
    write_table(curve, figures)
    facts = {
        "backend": entry["backend"],
        "data": data_summary(datasets),
        "trained_parameters": _size(training),
        "seed": seed,
        "initial_model": [str(start) for start in initial],
        "processor": processors(threads),
        "wall_time_s": round(load_state(checkpoint)["seconds"], 1),
    }
    write_card(card, facts, figures)
    save_state(model, training.model())
    checkpoint.unlink()


def training_datasets(
    manifests: Sequence[str], names: Sequence[str], shards: Mapping[str, int]
) -> dict[str, pd.DataFrame]:
    """Return the utterances of each dataset; no two may have a speaker of the same name.

    Parameters
    ----------
    manifests
        Files, in the order of `names`.
    names
        Datasets.
    shards
        How many files each of them has.
    """
    files = iter(manifests)
    datasets = {name: read_manifests([next(files) for _ in range(shards[name])]) for name in names}
    for (one, first), (other, second) in combinations(datasets.items(), 2):
        for column in ("speaker", "utterance"):
            shared = sorted(set(first[column]) & set(second[column]))
            if shared:
                raise ValueError(
                    f"training data {one} and {other}: both have {named(shared, column)}; "
                    f"they would count as one, so rename each {column} in one of them"
                )
    return datasets


def _size(training: object) -> int:
    """Count the numbers that the training moves, those of a classifier on top included."""
    groups = training.optimizer.param_groups
    return sum(parameter.numel() for group in groups for parameter in group["params"])
