# Functions named by rules that check a study's results or let people hear them; no rules.
from scripts.lib.chains import is_chain, voice_steps
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


def voiced_datasets(study):
    """Return the datasets of a study whose chosen voices are judged, and its chain systems."""
    entry = entry_of("studies", study)
    systems = [name for name in entry["systems"] if is_chain(entry_of("systems", name))]
    datasets = [name for role in ("dev", "test") for name in entry["datasets"].get(role, [])]
    if not systems or not datasets:
        raise WorkflowError(f"study {study}: the check `vectors` needs chain systems and data")
    return datasets, systems


def voice_figures(wildcards):
    """Return the figures of all voices that a study's chain systems choose."""
    datasets, systems = voiced_datasets(wildcards.study)
    return [
        f"<results>/metrics/voices/{system}/{dataset}.tsv"
        for dataset in datasets
        for system in systems
    ]


def vector_config(wildcards):
    """Return the steps behind a study's voices, and how they are printed."""
    study = wildcards.study
    datasets, systems = voiced_datasets(study)
    return {
        "title": entry_of("studies", study)["title"],
        "systems": {
            dataset: {system: voice_steps(system, dataset, CATALOGUE) for system in systems}
            for dataset in datasets
        },
        "display": CATALOGUE.contest_config(study)["display"],
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
