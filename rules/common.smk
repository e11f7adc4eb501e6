# Validation, wildcard constraints, and the functions that rules name; no rules.
from pathlib import Path

from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import ConfigurationError
from scripts.lib.kaldi_files import list_files, trial_files
from scripts.lib.provenance import source_files
from scripts.lib.stale_locks import release_stale_locks
from scripts.lib.user_files import files_of_system, index_settings, tracked_audio

REPOSITORY = Path(workflow.basedir)

release_stale_locks(".snakemake")

try:
    CATALOGUE = Catalogue(REPOSITORY / "config", config)
except ConfigurationError as error:
    raise WorkflowError(str(error))


wildcard_constraints:
    study=CATALOGUE.pattern("studies"),
    system=CATALOGUE.pattern("systems"),
    trained_on=CATALOGUE.pattern("systems"),
    attacker=CATALOGUE.pattern("attackers"),
    asv=CATALOGUE.pattern("asv"),
    asr=CATALOGUE.pattern("asr"),
    lm=CATALOGUE.pattern("lm"),
    ser=CATALOGUE.pattern("ser"),
    dataset=CATALOGUE.pattern("datasets"),
    corpus=CATALOGUE.pattern("synthetic"),
    table=CATALOGUE.pattern("tables"),
    figure=CATALOGUE.pattern("figures"),
    number=CATALOGUE.pattern("tables").replace("table_", ""),
    gender="[fm]",
    seed=r"\d+",
    shard=r"\d{3}",


def repository_files(module):
    """Return a module and every repository file it depends on."""
    files = source_files(module, REPOSITORY)
    here = REPOSITORY == Path.cwd()
    return files if here else [str(REPOSITORY / file) for file in files]


def sources(rule_name):
    """Return the script of a rule and every repository file it depends on."""
    return repository_files(f"scripts/{rule_name}.py")


def method_sources(wildcards):
    """Return the files of a system's method, which its script imports by name."""
    method = entry_of("systems", wildcards.system)["method"]
    if method == "scores":
        raise WorkflowError(f"system {wildcards.system}: is given as scores, so it has no audio")
    return repository_files(f"scripts/lib/systems/{method}.py")


def backend_sources(kind):
    """Return an input function: the files of a model's backend, imported by name."""

    def files(wildcards):
        backend = entry_of(kind, wildcards[kind])["backend"]
        return repository_files(f"scripts/lib/models/{backend}.py")

    return files


def entry_of(kind, name):
    """Return one checked configuration entry: what a rule's `params: config` holds."""
    return CATALOGUE[kind][name]


# --- data -------------------------------------------------------------------------------------


def synthetic_config(wildcards):
    """Return the settings of an embedded corpus."""
    return entry_of("synthetic", wildcards.corpus)


def dataset_files(wildcards):
    """Return what a manifest is read from: list files, or the checksums of an embedded corpus."""
    entry = entry_of("datasets", wildcards.dataset)
    if "corpus" in entry:
        return [f"<results>/corpora/{entry['corpus']}/SHA256SUMS"]
    folder = Path(config["corpora"])
    files_of = list_files if entry["audio"] else trial_files
    try:
        return [str(file) for name in entry["subsets"].values() for file in files_of(folder / name)]
    except ValueError as error:
        raise WorkflowError(f"dataset {wildcards.dataset}: {error}")


def dataset_config(wildcards):
    """Return a dataset's entry with the folder of the prepared corpora, if it is one of them."""
    entry = entry_of("datasets", wildcards.dataset)
    return entry if "corpus" in entry else {**entry, "folder": config["corpora"]}


def manifest_of(wildcards):
    """Return the manifest of the wildcards' dataset, which only a dataset with audio has."""
    if not entry_of("datasets", wildcards.dataset)["audio"]:
        return []
    return [f"<results>/data/{wildcards.dataset}/manifest.tsv"]


def audio_manifests(system, dataset):
    """Return the manifests of all shards of a dataset as one system renders it."""
    if entry_of("systems", system)["method"] == "scores":
        raise WorkflowError(f"system {system}: is given as scores, so it has no audio")
    if not entry_of("datasets", dataset)["audio"]:
        raise WorkflowError(f"dataset {dataset}: has no audio, only trials")
    shards = entry_of("datasets", dataset)["shards"]
    return [f"<results>/audio/{system}/{dataset}/{shard:03d}.tsv" for shard in range(shards)]


def rendered_dataset(wildcards):
    """Return the audio of the wildcards' dataset as the wildcards' system renders it."""
    return audio_manifests(wildcards.system, wildcards.dataset)


def own_files(wildcards):
    """Return the user's program or module behind a system, and the files it says it needs."""
    return files_of_system(wildcards.system, entry_of("systems", wildcards.system))


def external_index(wildcards):
    """Return the list of a system's finished audio, for a system that is nothing else."""
    is_external = entry_of("systems", wildcards.system)["method"] == "external"
    place = f"<results>/external/{wildcards.system}/{wildcards.dataset}.tsv"
    return place if is_external else []


def index_config(wildcards):
    """Return an external system's settings and where its audio of one dataset lies."""
    entry = entry_of("systems", wildcards.system)
    return index_settings(wildcards.system, entry, wildcards.dataset)


def external_audio(wildcards):
    """Return the user's files of an external system, so that a changed one is noticed."""
    return tracked_audio(index_config(wildcards)["location"])


def anonymization_config(wildcards):
    """Return a system's entry with its own name and what it needs to know of the dataset."""
    system = dict(entry_of("systems", wildcards.system))
    if system["method"] == "external":
        # The rest is for the index: a place of another dataset must not rerun this one.
        system["params"] = {key: system["params"][key] for key in ("resample", "downmix")}
    dataset = entry_of("datasets", wildcards.dataset)
    keys = ("shards", "resample", "downmix", "first_seed", "subsets")
    return {
        "system": {**system, "name": wildcards.system},
        "dataset": {
            **{key: dataset[key] for key in keys if key in dataset},
            "subsets": list(dataset["subsets"]),
            "name": wildcards.dataset,
        },
    }


# --- evaluators -------------------------------------------------------------------------------


def training_audio(kind):
    """Return an input function: the training data of a model as the system `trained_on` renders it."""

    def manifests(wildcards):
        entry = entry_of(kind, wildcards[kind])
        return [
            path
            for dataset in entry["training_data"]
            for path in audio_manifests(wildcards.trained_on, dataset)
        ]

    return manifests


def model_config(kind):
    """Return a params function: the entry of the wildcards' model of one kind."""

    def config_of(wildcards):
        return entry_of(kind, wildcards[kind])

    return config_of


def audio_trained_on(wildcards):
    """Return the audio of the wildcards' dataset as the system `trained_on` renders it."""
    return audio_manifests(wildcards.trained_on, wildcards.dataset)


def ser_config(wildcards):
    """Return an emotion recogniser's entry with the number of folds to train."""
    dataset = entry_of("datasets", wildcards.dataset)
    if "folds" not in dataset:
        raise WorkflowError(f"dataset {wildcards.dataset}: needs the key 'folds' for emotion")
    return {**entry_of("ser", wildcards.ser), "folds": dataset["folds"]}


def wildcard_values(wildcards):
    """Return the wildcards as the identifying columns of metric rows."""
    return dict(wildcards)


def asr_training_config(wildcards):
    """Return a recogniser's entry without its decoder, which no training depends on."""
    entry = entry_of("asr", wildcards.asr)
    return {key: value for key, value in entry.items() if key != "decoding"}


def lm_text(wildcards):
    """Return the manifests whose transcripts a language model is estimated from."""
    datasets = entry_of("lm", wildcards.lm)["training_data"]
    return [f"<results>/data/{dataset}/manifest.tsv" for dataset in datasets]


def side_of_attack(part):
    """Return an input function: embeddings of the enrolment or trial speech an attacker holds."""

    def embeddings(wildcards):
        attacker = entry_of("attackers", wildcards.attacker)
        chosen = {"original": "orig", "anonymized": wildcards.system}
        return (
            f"<results>/embeddings/{wildcards.asv}/{chosen[attacker['asv_training']]}/"
            f"{wildcards.seed}/{chosen[attacker[part]]}/{wildcards.dataset}.npz"
        )

    return embeddings


def scored_genders(wildcards):
    """Return the score files of every gender that a dataset has trials for."""
    return collect(
        "<results>/scores/{asv}/{attacker}/{seed}/{system}/{dataset}/{gender}.tsv",
        **wildcards,
        gender=CATALOGUE.genders(wildcards.dataset),
    )


def similarity_of_genders(wildcards):
    """Return the similarity matrices of every gender that a dataset has trials for."""
    return collect(
        "<results>/similarity/{asv}/{trained_on}/{seed}/{system}/{dataset}/{gender}.npz",
        **wildcards,
        gender=CATALOGUE.genders(wildcards.dataset),
    )
