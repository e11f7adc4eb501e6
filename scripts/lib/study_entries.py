"""Which configuration entries a study's numbers depend on."""

from collections.abc import Mapping

from scripts.lib.chains import used_by_chains
from scripts.lib.probed import CHECK, probed_datasets, probed_features
from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM

TRAINED = ("asv", "asr", "lm", "ser")


def entries_of(study: str, entries: Mapping[str, Mapping]) -> dict[str, dict]:
    """Return every entry that a study uses, by kind and name; its own is among them.

    Parameters
    ----------
    study
        Name of the study.
    entries
        All entries by kind and name: a `Catalogue`.
    """
    entry = entries["studies"][study]
    names = {"studies": [study]}
    if entry["source"] == "computed":
        names |= {kind: [entry[kind]] for kind in ("asr", "ser") if kind in entry}
        names["asv"] = [entry["asv"], *entry["contenders"]] if "asv" in entry else []
        names["lm"] = entry["lms"]
        names["systems"] = [REFERENCE_SYSTEM, *entry["systems"]]
        names["attackers"] = [REFERENCE_ATTACKER, *entry["attackers"]]
        names["datasets"] = [name for part in entry["datasets"].values() for name in part]
        if "protocol" in entry.get("legal", {}):
            protocol = entry["legal"]["protocol"]
            names["legal"] = [protocol]
            names["systems"] += [entry["legal"]["system"], entry["legal"]["similar"]]
            for part in ("set_a", "set_b"):
                names["datasets"] += entries["legal"][protocol][part]
        for kind in TRAINED:
            for name in names.get(kind, []):
                names["datasets"] += entries[kind][name].get("training_data", [])
        rendered = sorted(set(names["datasets"]))
        for kind, used in used_by_chains(names["systems"], rendered, entries).items():
            names[kind] = [*names.get(kind, []), *used]
        if CHECK in entry["checks"]:
            names["datasets"] += probed_datasets(study, entries)
            for kind, used in probed_features(study, entries).items():
                names[kind] = [*names.get(kind, []), *used]
        corpora = [entries["datasets"][name].get("corpus") for name in names["datasets"]]
        for kind in ("synthetic", "common_voice"):
            names[kind] = [name for name in corpora if name in entries[kind]]
    return {
        kind: {name: entries[kind][name] for name in sorted(set(chosen))}
        for kind, chosen in names.items()
    }
