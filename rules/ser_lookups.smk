# Functions named by rules that train and use emotion recognisers; no rules.


def ser_config(wildcards):
    """Return an emotion recogniser's entry with the number of folds to train."""
    dataset = entry_of("datasets", wildcards.dataset)
    if "folds" not in dataset:
        raise WorkflowError(f"dataset {wildcards.dataset}: needs the key 'folds' for emotion")
    return {**entry_of("ser", wildcards.ser), "folds": dataset["folds"]}


def ser_training_memory(wildcards):
    """Return the megabytes of a training: wav2vec 2.0 wants many, other recognisers few."""
    return 16000 if "model" in entry_of("ser", wildcards.ser) else 4000


def given_ser_files(wildcards):
    """Return the user's files behind a recogniser: a pretrained encoder, finished folds."""
    entry = entry_of("ser", wildcards.ser)
    # A name on the model hub has no folder here.
    places = [entry["model"]] if "model" in entry and Path(entry["model"]).is_dir() else []
    if "checkpoints" in entry:
        folds = entry_of("datasets", wildcards.dataset)["folds"]
        places += [entry["checkpoints"].format(fold=fold) for fold in range(1, folds + 1)]
    for place in places:
        if not Path(place).is_dir():
            raise WorkflowError(f"ser {wildcards.ser}: no folder {place}, named by `checkpoints`")
    return [str(f) for place in places for f in sorted(Path(place).rglob("*")) if f.is_file()]
