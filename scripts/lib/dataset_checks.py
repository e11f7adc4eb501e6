"""Check that datasets, and the models trained on them, name what there is."""

from collections.abc import Callable, Mapping

from scripts.lib.configuration import ConfigurationError

TRAINED_ON_DATASETS = ("asv", "asr", "lm", "content", "acoustic", "vocoder", "autoencoder")


def check_datasets(
    entries: Mapping[str, Mapping], require: Callable[[str, str, str], None]
) -> None:
    """Refuse a dataset of an unknown corpus, too many parts, and unknown training data.

    Parameters
    ----------
    entries
        All entries by kind and name.
    require
        Refuses a name that a kind does not have, saying where it stands.
    """
    for name, entry in entries["datasets"].items():
        if "corpus" in entry and entry["corpus"] not in entries["common_voice"]:
            require(entry["corpus"], "synthetic", f"dataset {name}, corpus")
        if "download" in entry:
            require(entry["download"], "downloads", f"dataset {name}, download")
        if entry["parts"] > entry["shards"]:
            raise ConfigurationError(
                f"dataset {name}: {entry['parts']} parts of {entry['shards']} shards; "
                "a part is at least one shard"
            )
    for kind in TRAINED_ON_DATASETS:
        for name, entry in entries[kind].items():
            for dataset in entry.get("training_data", []):
                require(dataset, "datasets", f"{kind} {name}, training_data")
    for name, entry in entries["content"].items():
        if "initialise_from" in entry:
            _check_start(f"content {name}, initialise_from", entry, entries["content"], require)


def _check_start(
    origin: str,
    entry: Mapping,
    contents: Mapping[str, Mapping],
    require: Callable[[str, str, str], None],
) -> None:
    require(entry["initialise_from"], "content", origin)
    start = contents[entry["initialise_from"]]
    if start["backend"] != "e2e_bottleneck":
        raise ConfigurationError(f"{origin}: has to name an entry with backend e2e_bottleneck")
    for key in ("network", "units"):
        if start[key] != entry[key]:
            raise ConfigurationError(
                f"{origin}: {entry['initialise_from']} has another `{key}`; make both equal"
            )
