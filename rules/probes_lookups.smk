# Functions named by rules that probe content for the speaker; no rules.
from scripts.lib.probed import chain_features, probed_datasets, probed_features


def features_of_dataset(stream, name, dataset):
    """Return the files of all shards of a dataset that hold its content or pitch."""
    shards = range(entry_of("datasets", dataset)["shards"])
    return [f"<results>/features/{stream}/{name}/{dataset}/{shard:03d}.npz" for shard in shards]


def content_of_dataset(wildcards):
    """Return the content of the wildcards' dataset."""
    return features_of_dataset("content", wildcards.content, wildcards.dataset)


def pitch_of_dataset(wildcards):
    """Return the pitch of the wildcards' dataset."""
    return features_of_dataset("pitch", wildcards.pitch, wildcards.dataset)


def probe_config(stream):
    """Return a params function: what is probed, as the columns of a probe's row."""

    def config_of(wildcards):
        return {"stream": stream, "name": wildcards[stream], "dataset": wildcards.dataset}

    return config_of


def study_probes(wildcards):
    """Return the probes of everything that a study's chain systems take from speech."""
    study = wildcards.study
    return [
        f"<results>/probes/{stream}/{name}/{dataset}.tsv"
        for dataset in probed_datasets(study, CATALOGUE)
        for stream, names in probed_features(study, CATALOGUE).items()
        for name in names
    ]


def adversarial_content(study):
    """Return the content extractors of a study that are made to forget who speaks."""
    names = probed_features(study, CATALOGUE)["content"]
    return [name for name in names if "adversary" in entry_of("content", name)]


def adversarial_curves(wildcards):
    """Return the loss curves of content extractors that are made to forget who speaks."""
    return [f"<results>/content/{name}/curve.tsv" for name in adversarial_content(wildcards.study)]


def leakage_config(wildcards):
    """Return which system uses which content, and how it is printed."""
    study = wildcards.study
    return {
        "title": entry_of("studies", study)["title"],
        "chains": chain_features(study, CATALOGUE),
        "adversarial": adversarial_content(study),
        "display": CATALOGUE.contest_config(study)["display"],
    }
