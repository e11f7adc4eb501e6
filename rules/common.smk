# Validation, wildcard constraints, and the functions that rules name; no rules.
import gc
import os
from functools import cache
from pathlib import Path

from scripts.lib.caches import keep_caches_below
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import ConfigurationError
from scripts.lib.provenance import source_files
from scripts.lib.stale_locks import StillRunningError, hold_job_lock, release_stale_locks
from scripts.lib.user_files import files_of_system, index_settings, tracked_audio

REPOSITORY = Path(workflow.basedir)
# A plan of thousands of jobs is one big graph that lives till the end: collecting garbage in it
# every few hundred objects costs a tenth of the planning.
gc.set_threshold(200_000, 50, 50)

keep_caches_below(config["cache"], os.environ)

try:
    # Parsed by the run itself, and again by each job that it submits to a cluster.
    take_lock = release_stale_locks if workflow.is_main_process else hold_job_lock
    take_lock(".snakemake")
    CATALOGUE = Catalogue(REPOSITORY / "config", config)
except (ConfigurationError, StillRunningError) as error:
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
    legal=CATALOGUE.pattern("legal"),
    dataset=CATALOGUE.pattern("datasets"),
    corpus=CATALOGUE.pattern("synthetic"),
    table=CATALOGUE.pattern("tables"),
    figure=CATALOGUE.pattern("figures"),
    number=CATALOGUE.pattern("tables").replace("table_", ""),
    gender="[fm]",
    seed=r"\d+",
    shard=r"\d{3}",
    part=r"\d{3}",


@cache
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
    # What is said about a system changes no sound.
    del system["reconstruction"]
    if system["method"] == "external":
        # The rest is for the index: a place of another dataset must not rerun this one.
        system["params"] = {key: system["params"][key] for key in ("resample", "downmix")}
    dataset = entry_of("datasets", wildcards.dataset)
    keys = ("shards", "format", "resample", "downmix", "first_seed", "subsets")
    return {
        "system": {**system, "name": wildcards.system},
        "dataset": {
            **{key: dataset[key] for key in keys if key in dataset},
            "subsets": list(dataset["subsets"]),
            "name": wildcards.dataset,
        },
    }


# --- evaluators -------------------------------------------------------------------------------


def model_config(kind):
    """Return a params function: the entry of the wildcards' model of one kind."""

    def config_of(wildcards):
        return entry_of(kind, wildcards[kind])

    return config_of


def audio_trained_on(wildcards):
    """Return the audio of the wildcards' dataset as the system `trained_on` renders it."""
    return audio_manifests(wildcards.trained_on, wildcards.dataset)


def wildcard_values(wildcards):
    """Return the wildcards as the identifying columns of metric rows."""
    return dict(wildcards)


def scored_genders(wildcards):
    """Return the score files of every gender that a dataset has trials for."""
    w = wildcards
    folder = f"<results>/scores/{w.asv}/{w.attacker}/{w.seed}/{w.system}/{w.dataset}"
    return [f"{folder}/{gender}.tsv" for gender in CATALOGUE.genders(w.dataset)]


def similarity_of_genders(wildcards):
    """Return the similarity matrices of every gender that a dataset has trials for."""
    w = wildcards
    folder = f"<results>/similarity/{w.asv}/{w.trained_on}/{w.seed}/{w.system}/{w.dataset}"
    return [f"{folder}/{gender}.npz" for gender in CATALOGUE.genders(w.dataset)]
