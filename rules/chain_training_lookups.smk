# Functions named by the rules that train what speaks; no rules.
wildcard_constraints:
    acoustic=CATALOGUE.pattern("acoustic"),
    vocoder=CATALOGUE.pattern("vocoder"),
    autoencoder=CATALOGUE.pattern("autoencoder"),


def part_speech(kind):
    """Return an input function: the original speech that a part of chains is trained on."""

    def manifests(wildcards):
        entry = entry_of(kind, wildcards[kind])
        if "training_data" not in entry:
            raise WorkflowError(f"{kind} {wildcards[kind]}: has nothing to train")
        return [path for name in entry["training_data"] for path in audio_manifests("orig", name)]

    return manifests


def heard_by(kind, wildcards):
    """Return the names of content, pitch and vectors that a training hears, as far as it does."""
    entry = entry_of(kind, wildcards[kind])
    # What predicts a vocoder's log-mel hears more than the vocoder.
    if "predicted_by" in entry:
        entry = {**entry_of("acoustic", entry["predicted_by"]), **entry}
    return {key: entry[key] for key in ("content", "pitch", "vectors") if key in entry}


def training_features(kind, feature):
    """Return an input function: content or pitch of a part's training data, or nothing."""

    def files(wildcards):
        name = heard_by(kind, wildcards).get(feature)
        return [
            f"<results>/features/{feature}/{name}/{dataset}/{shard:03d}.npz"
            for dataset in entry_of(kind, wildcards[kind])["training_data"]
            for shard in range(entry_of("datasets", dataset)["shards"] if name else 0)
        ]

    return files


def training_vectors(kind):
    """Return an input function: the voices of a part's training data, or nothing."""

    def files(wildcards):
        name = heard_by(kind, wildcards).get("vectors")
        datasets = entry_of(kind, wildcards[kind])["training_data"] if name else []
        return [path for dataset in datasets for path in original_vectors(name, dataset)]

    return files


def predicting_model(wildcards):
    """Return the acoustic model whose log-mel a vocoder is trained on, or nothing."""
    name = entry_of("vocoder", wildcards.vocoder).get("predicted_by")
    return [f"<results>/acoustic/{name}/model.pt"] if name else []


def predicting_sources(wildcards):
    """Return the files of that acoustic model, which is imported by name."""
    name = entry_of("vocoder", wildcards.vocoder).get("predicted_by")
    if not name:
        return []
    return repository_files(f"scripts/lib/models/{entry_of('acoustic', name)['backend']}.py")


def training_accents(wildcards):
    """Return the accents of those whose vectors an autoencoder is trained on."""
    datasets = entry_of("autoencoder", wildcards.autoencoder)["training_data"]
    return [f"<results>/data/{dataset}/accents.tsv" for dataset in datasets]


def accent_lists(wildcards):
    """Return the lists of accents that a prepared corpus has."""
    entry = entry_of("datasets", wildcards.dataset)
    if made_corpus(entry):
        return []
    files = [Path(config["corpora"]) / name / "spk2accent" for name in entry["subsets"].values()]
    return [str(file) for file in files if file.is_file()]


def accent_config(wildcards):
    """Return the entry of an embedded corpus, whose speakers have the accents it draws."""
    corpus = entry_of("datasets", wildcards.dataset).get("corpus")
    return {"synthetic": entry_of("synthetic", corpus)} if corpus in CATALOGUE["synthetic"] else {}
