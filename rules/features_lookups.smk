# Functions named by rules that extract content and pitch; no rules.
wildcard_constraints:
    content=CATALOGUE.pattern("content"),
    pitch=CATALOGUE.pattern("pitch"),


def content_speech(wildcards):
    """Return the original speech that a content extractor is trained on."""
    entry = entry_of("content", wildcards.content)
    if "training_data" not in entry:
        raise WorkflowError(f"content {wildcards.content}: has nothing to train")
    return [path for name in entry["training_data"] for path in audio_manifests("orig", name)]


def initial_content(wildcards):
    """Return the content extractor that another one starts from, or none."""
    start = entry_of("content", wildcards.content).get("initialise_from")
    return [f"<results>/content/{start}/model.pt"] if start else []


def content_model(wildcards):
    """Return the trained content extractor, or nothing for one without training."""
    trained = "training_data" in entry_of("content", wildcards.content)
    return [f"<results>/content/{wildcards.content}/model.pt"] if trained else []


def extraction_config(wildcards):
    """Return what extraction depends on beside the model: how its network is built."""
    entry = entry_of("content", wildcards.content)
    return {key: entry[key] for key in ("backend", "network") if key in entry}


def original_shard(wildcards):
    """Return the original speech of one shard."""
    return [audio_manifests("orig", wildcards.dataset)[int(wildcards.shard)]]


def tracker_sources(wildcards):
    """Return the files of a pitch tracker, which its script imports by name."""
    backend = entry_of("pitch", wildcards.pitch)["backend"]
    return repository_files(f"scripts/lib/pitch/{backend}.py")
