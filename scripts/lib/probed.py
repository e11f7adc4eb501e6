"""Which content extractors of a study are probed for the speaker, and on whose speech."""

from collections.abc import Callable

from scripts.lib.chains import Entries, chain_of, is_chain, stages
from scripts.lib.configuration import ConfigurationError

CHECK = "leakage"
# Speech itself, as a probe hears it.
REFERENCE_CONTENT = "fbank"


def probed_datasets(study: str, entries: Entries) -> list[str]:
    """Return the datasets whose speakers a study's probes tell apart."""
    entry = entries["studies"][study]
    return list(entry["probes"] or entry["datasets"].get("test", []))


def chain_features(study: str, entries: Entries) -> list[dict[str, dict[str, str]]]:
    """Return what each chain system of a study takes from speech, once per kit.

    Returns
    -------
    list
        System to its entries of `content` and `pitch` (empty for a chain without), as the kit of
        one or several test datasets has them.
    """
    entry = entries["studies"][study]
    systems = [name for name in entry["systems"] if is_chain(entries["systems"][name])]
    found = []
    for dataset in entry["datasets"].get("test", []):
        chains = {system: chain_of(system, dataset, entries) for system in systems}
        used = {name: {"content": c.content, "pitch": c.pitch} for name, c in chains.items()}
        if used not in found:
            found.append(used)
    return found


def probed_features(study: str, entries: Entries) -> dict[str, list[str]]:
    """Return the content extractors and pitch trackers that a study probes.

    Log-mel features come first: what there is to find.
    """
    used = [each for chains in chain_features(study, entries) for each in chains.values()]
    content = dict.fromkeys([REFERENCE_CONTENT, *(each["content"] for each in used)])
    pitch = dict.fromkeys(each["pitch"] for each in used if each["pitch"])
    return {"content": list(content), "pitch": list(pitch)}


def check_probes(study: str, entries: Entries, require: Callable[[str, str, str], None]) -> None:
    """Refuse probes of a study without chains, and of speech that a chain was trained on.

    Parameters
    ----------
    study
        Name of the study.
    entries
        All entries by kind and name.
    require
        Refuses a name that a kind does not have, saying where it stands.
    """
    entry, origin = entries["studies"][study], f"study {study}"
    for dataset in entry["probes"]:
        require(dataset, "datasets", f"{origin}, probes")
    if CHECK not in entry["checks"]:
        return
    require(REFERENCE_CONTENT, "content", f"{origin}, checks: {CHECK}")
    probed = probed_features(study, entries)
    if len(probed["content"]) < 2 or not probed_datasets(study, entries):
        raise ConfigurationError(
            f"{origin}, checks: {CHECK} needs a chain system with trained content and a test "
            "dataset or `probes`"
        )
    for content in probed["content"]:
        heard = [
            dataset
            for stage in stages("content", content, entries)
            for dataset in entries["content"][stage].get("training_data", [])
        ]
        for dataset in probed_datasets(study, entries):
            if dataset in heard:
                raise ConfigurationError(
                    f"{origin}, probes: content {content} was trained on {dataset}; leakage is "
                    "measured on speakers that it has never heard"
                )
