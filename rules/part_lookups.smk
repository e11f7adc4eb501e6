# Functions named by rules that hear a dataset in parts, or join what the parts gave; no rules.


def part_names(dataset):
    """Return the names of the parts in which evaluators hear a dataset."""
    return [f"{part:03d}" for part in range(entry_of("datasets", dataset)["parts"])]


def rendered_part(wildcards):
    """Return the audio of one part of a dataset as the wildcards' system renders it."""
    shards = audio_manifests(wildcards.system, wildcards.dataset)
    return shards[int(wildcards.part) :: len(part_names(wildcards.dataset))]


def embedding_files(wildcards, trained_on, system):
    """Return the embeddings of a dataset in all its parts."""
    folder = f"{wildcards.asv}/{trained_on}/{wildcards.seed}/{system}/{wildcards.dataset}"
    return [f"<results>/embeddings/{folder}/{part}.npz" for part in part_names(wildcards.dataset)]


def side_of_attack(side):
    """Return an input function: embeddings of the enrolment or trial speech an attacker holds."""

    def embeddings(wildcards):
        attacker = entry_of("attackers", wildcards.attacker)
        chosen = {"original": "orig", "anonymized": wildcards.system}
        return embedding_files(wildcards, chosen[attacker["asv_training"]], chosen[attacker[side]])

    return embeddings


def original_embeddings(wildcards):
    """Return the embeddings of a dataset's original speech."""
    return embedding_files(wildcards, wildcards.trained_on, "orig")


def anonymized_embeddings(wildcards):
    """Return the embeddings of a dataset as the wildcards' system renders it."""
    return embedding_files(wildcards, wildcards.trained_on, wildcards.system)


def counted_transcripts(wildcards):
    """Return the transcripts whose words are counted together, in all their parts."""
    w = wildcards
    folder = f"<results>/transcripts/{w.asr}/{w.trained_on}/{w.seed}/{w.lm}/{w.system}"
    return [
        f"{folder}/{dataset}/{part}.tsv"
        for dataset in CATALOGUE.pools[w.dataset]
        # A recogniser without language model hears whole datasets.
        for part in (["000"] if w.lm == NO_LM else part_names(dataset))
    ]


def predictions_of_parts(wildcards):
    """Return the recognised emotions of a dataset in all its parts."""
    w = wildcards
    folder = f"<results>/emotions/{w.ser}/{w.trained_on}/{w.seed}/{w.system}/{w.dataset}"
    return [f"{folder}/{part}.tsv" for part in part_names(w.dataset)]
