# Where a dataset's lists come from, and functions named by rules that download corpora; no rules.
from scripts.lib.kaldi_files import list_files, trial_files


wildcard_constraints:
    download=CATALOGUE.pattern("downloads"),


def made_corpus(entry):
    """Return the corpus that the workflow makes for a dataset; none if a prepared copy is given."""
    folder = Path(config["corpora"])
    given = any((folder / name).is_dir() for name in entry["subsets"].values())
    return entry.get("corpus", None if given else entry.get("download"))


def dataset_files(wildcards):
    """Return what a manifest is read from: list files, or the checksums of a corpus made here."""
    entry = entry_of("datasets", wildcards.dataset)
    if made_corpus(entry):
        return [f"<results>/corpora/{made_corpus(entry)}/SHA256SUMS"]
    folder = Path(config["corpora"])
    files_of = list_files if entry["audio"] else trial_files
    try:
        return [str(file) for name in entry["subsets"].values() for file in files_of(folder / name)]
    except ValueError as error:
        raise WorkflowError(f"dataset {wildcards.dataset}: {error}")


def dataset_config(wildcards):
    """Return a dataset's entry with the folder of the prepared corpora, if it is one of them."""
    # Lists are the same whatever chain systems make of the speech.
    entry = {k: v for k, v in entry_of("datasets", wildcards.dataset).items() if k != "kit"}
    return entry if made_corpus(entry) else {**entry, "folder": config["corpora"]}


def download_config(wildcards):
    """Return where an archive is to be had, and its checksum if it is known."""
    entry = entry_of("downloads", wildcards.download)
    return {key: entry[key] for key in ("url", "sha256") if key in entry}


def preparation_config(wildcards):
    """Return what the preparation of a corpus depends on beside its archive."""
    entry = entry_of("downloads", wildcards.download)
    return {key: entry[key] for key in ("commit", "preparation", "seed")}


def preparation_sources(wildcards):
    """Return the files of a corpus's preparation, which its script imports by name."""
    name = entry_of("downloads", wildcards.download)["preparation"]
    return repository_files(f"scripts/lib/corpora/{name}.py")


def facts_of_download(wildcards):
    """Return the table that says which recordings make which utterance."""
    path = Path("config") / "downloads" / entry_of("downloads", wildcards.download)["facts"]
    return str(path if REPOSITORY == Path.cwd() else REPOSITORY / path)
