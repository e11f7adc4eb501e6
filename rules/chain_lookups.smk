# Functions named by the rules of chain systems; no rules.
from scripts.lib.chains import asks_for_others, chain_of, is_chain


def chain_systems():
    """Return a regular expression that matches the chain systems and nothing else."""
    return CATALOGUE.pattern("systems", is_chain)


def other_systems():
    """Return a regular expression that matches every system that is no chain."""

    def is_other(system):
        return not is_chain(system)

    return CATALOGUE.pattern("systems", is_other)


def chain_of_job(wildcards):
    """Return the parts that the wildcards' system uses on the wildcards' dataset."""
    try:
        return chain_of(wildcards.system, wildcards.dataset, CATALOGUE)
    except ConfigurationError as error:
        raise WorkflowError(str(error))


def content_of_shard(wildcards):
    """Return the content features of a shard."""
    chain = chain_of_job(wildcards)
    return f"<results>/features/content/{chain.content}/{wildcards.dataset}/{wildcards.shard}.npz"


def pitch_of_shard(wildcards):
    """Return the pitch of a shard, or nothing for a chain without pitch."""
    pitch = chain_of_job(wildcards).pitch
    file = f"<results>/features/pitch/{pitch}/{wildcards.dataset}/{wildcards.shard}.npz"
    return [file] if pitch else []


def known_datasets(wildcards):
    """Return the datasets whose speakers' pitch a system asks for: its own and the pool, or none."""
    settings = entry_of("systems", wildcards.system)["params"]["f0"]
    return [wildcards.dataset, chain_of_job(wildcards).pool] if asks_for_others(settings) else []


def known_manifests(wildcards):
    """Return the manifests of the speakers whose pitch a system asks for."""
    return [f"<results>/data/{name}/manifest.tsv" for name in known_datasets(wildcards)]


def known_pitch(wildcards):
    """Return the pitch of all utterances of the speakers whose pitch a system asks for."""
    folder = f"<results>/features/pitch/{chain_of_job(wildcards).pitch}"
    return [
        f"{folder}/{name}/{shard:03d}.npz"
        for name in known_datasets(wildcards)
        for shard in range(entry_of("datasets", name)["shards"])
    ]


def trained_part(kind):
    """Return an input function: the model of a chain's part, or nothing if none is trained."""

    def file(wildcards):
        name = getattr(chain_of_job(wildcards), kind)
        if not name or "training_data" not in entry_of(kind, name):
            return []
        return [f"<results>/{kind}/{name}/model.pt"]

    return file


def part_sources(kind):
    """Return an input function: the files behind a chain's part, whose script imports it by name."""

    def files(wildcards):
        name = getattr(chain_of_job(wildcards), kind)
        if not name:
            return []
        return repository_files(f"scripts/lib/models/{entry_of(kind, name)['backend']}.py")

    return files


def synthesis_config(wildcards):
    """Return a chain system with the entries of what speaks, and what it needs of the dataset."""
    chain = chain_of_job(wildcards)
    config = anonymization_config(wildcards)
    # Which vectors are chosen is in the table of voices.
    params = {key: config["system"]["params"][key] for key in ("f0", "route")}
    return {
        "system": {"name": wildcards.system, "seed": config["system"]["seed"], "params": params},
        "dataset": config["dataset"],
        "acoustic": entry_of("acoustic", chain.acoustic),
        "vocoder": entry_of("vocoder", chain.vocoder) if chain.vocoder else {},
    }
