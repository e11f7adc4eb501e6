# Functions named by rules that check a study's results or let people hear them; no rules.
from scripts.lib.orderings import QUANTITIES


def ordering_cells(study):
    """Return the metrics and attackers of a study that the five orderings are about."""
    known = entry_of("studies", study)["attackers"]
    return [
        {"metric": metric, "attacker": attacker}
        for metric, attacker, _ in QUANTITIES.values()
        if not attacker or attacker in known
    ]


def ordering_metrics(wildcards):
    """Return the metric files of a study's test datasets that the five orderings are about."""
    plan = CATALOGUE.plan(wildcards.study)
    return plan.metric_files({"datasets": ["test"]}, ordering_cells(wildcards.study))


def ordering_curves(wildcards):
    """Return the loss curves of the attackers that the five orderings are about."""
    return [path for path, _ in CATALOGUE.curves(wildcards.study, ordering_cells(wildcards.study))]


def ordering_config(wildcards):
    """Return what the five orderings are judged and printed with."""
    study = wildcards.study
    card = CATALOGUE.card_config(study)
    curves = CATALOGUE.curves(study, ordering_cells(study))
    return {
        **card,
        "curves": [ids for _, ids in curves],
        "datasets": entry_of("studies", study)["datasets"]["test"],
    }


def sampled_dataset(study):
    """Return the test dataset whose utterances are on a study's page of samples."""
    entry = entry_of("studies", study)
    if not entry["samples"] or not entry["datasets"]["test"]:
        raise WorkflowError(f"study {study}: samples need the key `samples` and a test dataset")
    return entry["datasets"]["test"][0]


def sampled_systems(study):
    """Return the systems of a study that can be heard, the original first."""
    heard = CATALOGUE.plan(study).shown([{"metric": "wer"}])
    return ["orig", *(system for system in heard if system != "orig")]


def sample_manifest(wildcards):
    """Return the manifest of the dataset that samples are taken from."""
    return f"<results>/data/{sampled_dataset(wildcards.study)}/manifest.tsv"


def sample_audio(wildcards):
    """Return the audio of the sampled dataset as each system renders it."""
    dataset = sampled_dataset(wildcards.study)
    return [
        path
        for system in sampled_systems(wildcards.study)
        for path in audio_manifests(system, dataset)
    ]


def sample_config(wildcards):
    """Return how many utterances are on a page of samples, and how its rows are named."""
    study = wildcards.study
    labels = CATALOGUE.contest_config(study)["display"]["systems"]
    return {
        "title": entry_of("studies", study)["title"],
        "count": entry_of("studies", study)["samples"],
        "systems": [
            {
                "name": system,
                "label": labels.get(system, system),
                "note": entry_of("systems", system)["reconstruction"],
            }
            for system in sampled_systems(study)
        ],
    }
