# Functions named by the rules of speaker verification; no rules.
def embedder_config(wildcards):
    """Return which backend embeds; everything else about a model stands in its file."""
    return {"backend": entry_of("asv", wildcards.asv)["backend"]}


def scoring_config(wildcards):
    """Return how a model's embeddings are compared."""
    return entry_of("asv", wildcards.asv)["scoring"]


def scoring_sources(wildcards):
    """Return the files of a method of scoring, which scripts import by name."""
    method = scoring_config(wildcards)["method"]
    return repository_files(f"scripts/lib/scoring/{method}.py")


def scoring_files(wildcards):
    """Return what the method of scoring reads beside the embeddings of the trials."""
    method = scoring_config(wildcards)["method"]
    model = f"{wildcards.asv}/{model_behind(wildcards)}/{wildcards.seed}"
    files = {
        "adaptive_snorm": [f"<results>/speakers/{model}.npz"],
        "plda": [f"<results>/asv/{model}/plda.npz"],
    }
    return files.get(method, [])


def model_behind(wildcards):
    """Return what the model of an attack, or of a similarity matrix, is trained on."""
    if "attacker" not in wildcards.keys():
        return wildcards.trained_on
    training = entry_of("attackers", wildcards.attacker)["asv_training"]
    return "orig" if training == "original" else wildcards.system


def training_embeddings(wildcards):
    """Return the embeddings of a model's training data, as it was trained on."""
    folder = f"{wildcards.asv}/{wildcards.trained_on}/{wildcards.seed}/{wildcards.trained_on}"
    return [
        f"<results>/embeddings/{folder}/{dataset}/{part}.npz"
        for dataset in entry_of("asv", wildcards.asv)["training_data"]
        for part in part_names(dataset)
    ]


def training_manifests(wildcards):
    """Return the manifests of a model's training data."""
    datasets = entry_of("asv", wildcards.asv)["training_data"]
    return [f"<results>/data/{dataset}/manifest.tsv" for dataset in datasets]
