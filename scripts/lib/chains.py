"""Which trained parts a chain system uses on a dataset, and whether they go together.

A system says what is done to voices and which chain speaks; a dataset names the kit whose parts
were trained for its kind of speech.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scripts.lib.configuration import ConfigurationError

METHOD = "chain"
# Kinds of entries that only chains use.
PARTS = ("content", "pitch", "acoustic", "vocoder", "autoencoder")
# What the steps of a system leave to the kit's `candidates`.
LEFT_TO_KIT = {
    "pool": ("n", "n_star"),
    "regress": ("clusters",),
    "svd": ("clusters",),
}
PITCH_OF_OTHERS = ("log_linear", "percentile")
# Acoustic models that make waveforms themselves.
JOINT = ("joint_nsf",)
Entries = Mapping[str, Mapping[str, Mapping]]


@dataclass(frozen=True)
class Chain:
    """Names of the entries that a chain is made of.

    Parameters
    ----------
    content, pitch, vectors
        What the acoustic model is driven by; vectors come from an entry of `asv`. The pitch is
        empty for a chain that does without.
    acoustic, vocoder
        What speaks; the vocoder is empty for an acoustic model that makes waveforms itself.
    pool
        Dataset of the speakers who lend their voices.
    autoencoders
        Entries by the names that the system's steps use.
    """

    content: str
    pitch: str
    vectors: str
    acoustic: str
    vocoder: str
    pool: str
    autoencoders: Mapping[str, str]

    def entries(self) -> dict[str, list[str]]:
        """Return the names of all parts by kind, the pool among the datasets."""
        return {
            "content": [self.content],
            "pitch": [self.pitch] if self.pitch else [],
            "asv": [self.vectors],
            "acoustic": [self.acoustic],
            "vocoder": [self.vocoder] if self.vocoder else [],
            "autoencoder": list(self.autoencoders.values()),
            "datasets": [self.pool],
        }


def is_chain(system: Mapping) -> bool:
    """Return whether a system is made of trained parts."""
    return system["method"] == METHOD


def asks_for_others(f0: Mapping) -> bool:
    """Return whether a change of pitch asks for the pitch of other speakers.

    Examples
    --------
    >>> [asks_for_others({"transform": name}) for name in ("keep", "percentile")]
    [False, True]
    """
    return f0["transform"] in PITCH_OF_OTHERS


def chain_of(system: str, dataset: str, entries: Entries) -> Chain:
    """Return the parts that a system uses on a dataset.

    Parameters
    ----------
    system, dataset
        Names.
    entries
        All entries by kind and name.
    """
    if "kit" not in entries["datasets"][dataset]:
        raise ConfigurationError(
            f"dataset {dataset}: the chain system {system} needs the key `kit`, which names the "
            "parts that were trained for such speech (config/kits)"
        )
    params, name = entries["systems"][system]["params"], entries["datasets"][dataset]["kit"]
    return _from_kit(f"system {system}, dataset {dataset}", params, name, entries)


def voice_steps(system: str, dataset: str, entries: Entries) -> list[dict]:
    """Return the steps that change a system's vectors, with what the kit says of the pool."""
    candidates = entries["kits"][entries["datasets"][dataset]["kit"]]["candidates"]
    return [
        {**{key: candidates[key] for key in LEFT_TO_KIT.get(step["step"], ())}, **step}
        for step in entries["systems"][system]["params"]["voice"]
    ]


def _from_kit(origin: str, params: Mapping, name: str, entries: Entries) -> Chain:
    kit = entries["kits"][name]
    if params["chain"] not in kit["chains"]:
        raise ConfigurationError(
            f"{origin}: kit {name} has no chain {params['chain']!r}; "
            f"known: {', '.join(kit['chains'])}"
        )
    parts = kit["chains"][params["chain"]]
    roles = [step["autoencoder"] for step in params["voice"] if step["step"] == "autoencoder"]
    missing = [role for role in roles if role not in kit["autoencoders"]]
    if missing:
        raise ConfigurationError(f"{origin}: kit {name} has no autoencoder {missing[0]!r}")
    acoustic = entries["acoustic"][parts["acoustic"]]
    for role in roles:
        own = entries["autoencoder"][kit["autoencoders"][role]]["vectors"]
        if own != acoustic["vectors"]:
            raise ConfigurationError(
                f"{origin}: the autoencoder {kit['autoencoders'][role]} changes vectors of {own}, "
                f"but {parts['acoustic']} speaks with those of {acoustic['vectors']}"
            )
    vocoder = entries["vocoder"][parts["vocoder"]] if "vocoder" in parts else {}
    return Chain(
        content=acoustic["content"],
        pitch=acoustic.get("pitch", vocoder.get("pitch", "")),
        vectors=acoustic["vectors"],
        acoustic=parts["acoustic"],
        vocoder=parts.get("vocoder", ""),
        pool=kit["pool"],
        autoencoders={role: kit["autoencoders"][role] for role in roles},
    )


def used_by_chains(
    systems: Iterable[str], datasets: Iterable[str], entries: Entries
) -> dict[str, list[str]]:
    """Return the entries that chain systems add to a study, by kind.

    Parameters
    ----------
    systems, datasets
        What the study renders, and what of.
    entries
        All entries by kind and name.
    """
    used: dict[str, list[str]] = {}
    chosen = [name for name in systems if is_chain(entries["systems"][name])]
    for dataset in datasets if chosen else ():
        used.setdefault("kits", []).append(entries["datasets"][dataset].get("kit", ""))
        for system in chosen:
            chain = chain_of(system, dataset, entries)
            for kind, names in chain.entries().items():
                known = used.setdefault(kind, [])
                known += [stage for name in names for stage in stages(kind, name, entries)]
            used["datasets"] += training_data_of(chain, entries)
    return used


def check_kits(entries: Entries, require: Callable[[str, str, str], None]) -> None:
    """Refuse kits of unknown parts, and parts that do not go together.

    Parameters
    ----------
    entries
        All entries by kind and name.
    require
        Refuses a name that a kind does not have, saying where it stands.
    """
    for name, entry in entries["datasets"].items():
        if "kit" in entry:
            require(entry["kit"], "kits", f"dataset {name}, kit")
    for name, entry in entries["acoustic"].items():
        for key, kind in (("content", "content"), ("pitch", "pitch"), ("vectors", "asv")):
            if key in entry:
                require(entry[key], kind, f"acoustic {name}, {key}")
    for name, entry in entries["vocoder"].items():
        for key, kind in (("pitch", "pitch"), ("vectors", "asv"), ("predicted_by", "acoustic")):
            if key in entry:
                require(entry[key], kind, f"vocoder {name}, {key}")
    for name, entry in entries["autoencoder"].items():
        require(entry["vectors"], "asv", f"autoencoder {name}, vectors")
    for name, kit in entries["kits"].items():
        origin = f"kit {name}"
        require(kit["pool"], "datasets", f"{origin}, pool")
        for role, autoencoder in kit["autoencoders"].items():
            require(autoencoder, "autoencoder", f"{origin}, autoencoders.{role}")
        for role, parts in kit["chains"].items():
            _check_parts(f"{origin}, chains.{role}", parts, entries, require)


def _check_parts(
    origin: str, parts: Mapping, entries: Entries, require: Callable[[str, str, str], None]
) -> None:
    require(parts["acoustic"], "acoustic", f"{origin}, acoustic")
    acoustic = entries["acoustic"][parts["acoustic"]]
    if ("vocoder" in parts) == (acoustic["backend"] in JOINT):
        made, other = ("waveforms", "no") if "vocoder" in parts else ("log-mel", "a")
        raise ConfigurationError(
            f"{origin}: {parts['acoustic']} makes {made}, so it needs {other} vocoder"
        )
    if "vocoder" not in parts:
        return
    require(parts["vocoder"], "vocoder", f"{origin}, vocoder")
    vocoder = entries["vocoder"][parts["vocoder"]]
    # One contour and one vector are handed through the whole chain.
    for key in ("pitch", "vectors"):
        if key in vocoder and key in acoustic and vocoder[key] != acoustic[key]:
            raise ConfigurationError(
                f"{origin}: {parts['vocoder']} has the {key} {vocoder[key]}, but "
                f"{parts['acoustic']} has {acoustic[key]}"
            )
    heard = vocoder.get("predicted_by", parts["acoustic"])
    if heard != parts["acoustic"]:
        raise ConfigurationError(
            f"{origin}: {parts['vocoder']} was trained on the output of {heard}, "
            f"not of {parts['acoustic']}"
        )


def check_chains(study: str, entries: Entries) -> None:
    """Refuse a study whose evaluators share a model or training speakers with its chains.

    Parameters
    ----------
    study
        Name of the study.
    entries
        All entries by kind and name.
    """
    entry = entries["studies"][study]
    systems = [name for name in entry["systems"] if is_chain(entries["systems"][name])]
    if not systems:
        return
    judged = [name for names in entry["datasets"].values() for name in names]
    attackers = [*([entry["asv"]] if "asv" in entry else []), *entry["contenders"]]
    models = [("asv", name) for name in attackers]
    models += [("asr", entry["asr"])] if "asr" in entry else []
    taught = {
        dataset: f"{kind} {name}"
        for kind, name in models
        for dataset in entries[kind][name].get("training_data", [])
    }
    for system in systems:
        # Attackers and recognisers may be trained on what the chain makes of their own data.
        for dataset in dict.fromkeys([*judged, *taught]):
            chain = chain_of(system, dataset, entries)
            if chain.vectors in attackers:
                raise ConfigurationError(
                    f"study {study}: {chain.vectors} chooses the voices of {system} and cannot "
                    "judge them as well; name another entry under `asv` or `contenders`"
                )
            _check_speakers(study, system, chain, judged, taught, entries)


def training_data_of(chain: Chain, entries: Entries) -> dict[str, str]:
    """Return the datasets that a chain's parts have heard, and the part that did."""
    heard = {chain.pool: "its pool"}
    for kind, names in chain.entries().items():
        if kind != "datasets":
            for name in names:
                for stage in stages(kind, name, entries):
                    data = entries[kind][stage].get("training_data", [])
                    heard |= dict.fromkeys(data, f"{kind} {name}")
    return heard


def stages(kind: str, name: str, entries: Entries) -> list[str]:
    """Return an entry after those that its training starts from."""
    # Of an `asv`, the key names what the first stage hears, not another entry.
    start = entries[kind][name].get("initialise_from") if kind == "content" else None
    return [*(stages(kind, start, entries) if start else []), name]


def _check_speakers(
    study: str,
    system: str,
    chain: Chain,
    judged: list[str],
    taught: Mapping[str, str],
    entries: Entries,
) -> None:
    users = {**taught, **dict.fromkeys(judged, "the evaluation")}
    for dataset, part in training_data_of(chain, entries).items():
        if dataset in judged:
            raise ConfigurationError(
                f"study {study}: {part} of {system} has heard {dataset}, on which the study judges"
            )
        if dataset in users and not entries["studies"][study]["shared_speakers"]:
            raise ConfigurationError(
                f"study {study}: {part} of {system} and {users[dataset]} are both trained on "
                f"{dataset}; give them different speakers, or say `shared_speakers: true`"
            )
