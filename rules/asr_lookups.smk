# Functions named by the rules of speech recognition; no rules.
from scripts.lib.wer_plan import NO_LM


def lm_text(wildcards):
    """Return the manifests whose transcripts a language model is estimated from."""
    datasets = entry_of("lm", wildcards.lm)["training_data"]
    return [f"<results>/data/{dataset}/manifest.tsv" for dataset in datasets]


def language_model(wildcards):
    """Return a language model's file: the one to estimate, or the one that is given."""
    given = entry_of("lm", wildcards.lm).get("arpa")
    return str(Path(config["corpora"]) / given) if given else f"<results>/lm/{wildcards.lm}.arpa"


def pretrained_network(wildcards):
    """Return the files of a recogniser that others trained, where folders of ours hold it."""
    entry = entry_of("asr", wildcards.asr)
    folders = [Path(entry[key]) for key in ("model", "encoder") if key in entry]
    return sorted(str(file) for folder in folders for file in folder.glob("*") if file.is_file())


def whole_dataset(wildcards):
    """Return the audio of a dataset in all its shards as the wildcards' system renders it."""
    return audio_manifests(wildcards.system, wildcards.dataset)


def lexicon(kind):
    """Return an input function: the lexicon behind a recogniser's units, if they are phones."""

    def place(wildcards):
        units = entry_of(kind, wildcards[kind])["units"]
        is_phones = units["kind"] == "phones"
        return [str(Path(config["corpora"]) / units["lexicon"])] if is_phones else []

    return place


def with_lexicon(kind, config_of):
    """Return a params function: the settings of a training, with the place of its lexicon."""

    def settings_of(wildcards):
        settings = config_of(wildcards)
        for place in lexicon(kind)(wildcards):
            units = {**settings["model"]["units"], "lexicon": place}
            settings["model"] = {**settings["model"], "units": units}
        return settings

    return settings_of
