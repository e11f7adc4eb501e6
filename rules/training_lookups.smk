# Functions named by rules that train a model or use one; no rules.
def training_audio(kind):
    """Return an input function: the training data of a model as the system `trained_on` renders it."""

    def manifests(wildcards):
        entry = entry_of(kind, wildcards[kind])
        if "training_data" not in entry:
            raise WorkflowError(f"{kind} {wildcards[kind]}: is pretrained and cannot be trained")
        return [
            path
            for dataset in entry["training_data"]
            for path in audio_manifests(wildcards.trained_on, dataset)
        ]

    return manifests


def training_config(kind):
    """Return a params function: what a training depends on, and how its data are cut."""

    def config_of(wildcards):
        entry = entry_of(kind, wildcards[kind])
        return {
            # No training depends on the search for words or on how embeddings are compared.
            "model": {k: v for k, v in entry.items() if k not in ("decoding", "scoring")},
            "shards": {
                name: entry_of("datasets", name)["shards"] for name in entry["training_data"]
            },
        }

    return config_of


def initial_model(wildcards):
    """Return the model of original speech that one of anonymized speech starts from, or none."""
    start = entry_of("asv", wildcards.asv).get("initialise_from")
    if start is None or wildcards.trained_on == start:
        return []
    return [f"<results>/asv/{wildcards.asv}/{start}/{wildcards.seed}/model.pt"]


def model_file(kind):
    """Return an input function: the trained model, or nothing for a model that others trained."""

    def file(wildcards):
        name = wildcards[kind]
        if "training_data" in entry_of(kind, name):
            return [f"<results>/{kind}/{name}/{wildcards.trained_on}/{wildcards.seed}/model.pt"]
        if wildcards.trained_on != "orig":
            raise WorkflowError(
                f"{kind} {name}: is pretrained, so none is trained on speech of ours"
            )
        return []

    return file
