# Functions named by the rules of legal evaluation, and by rules whose audio does not stay; no rules.


def passing(kind):
    """Return an expression for the corpora or datasets whose audio does not stay."""

    def passes(entry):
        return not entry["keep_audio"]

    return CATALOGUE.pattern(kind, passes)


def passing_corpus(wildcards):
    """Return the recordings of an embedded corpus that do not stay, so that they stay till then."""
    corpus = entry_of("datasets", wildcards.dataset).get("corpus")
    if corpus in CATALOGUE["synthetic"] and not entry_of("synthetic", corpus)["keep_audio"]:
        return f"<results>/corpora/{corpus}/data"
    return []


def passing_audio(manifests):
    """Return an input function: the audio of manifests whose dataset's does not stay, till then."""

    def folders(wildcards):
        return [
            manifest.removesuffix(".tsv")
            for manifest in manifests(wildcards)
            if not entry_of("datasets", Path(manifest).parent.name)["keep_audio"]
        ]

    return folders


def legal_datasets(legal):
    """Return the datasets of a protocol's two sets."""
    entry = entry_of("legal", legal)
    return sorted({*entry["set_a"], *entry["set_b"]})


def legal_manifests(wildcards):
    """Return the manifests that set A and set B are taken from."""
    datasets = legal_datasets(wildcards.legal)
    return [f"<results>/data/{dataset}/manifest.tsv" for dataset in datasets]


def legal_sets_config(wildcards):
    """Return the settings that decide who is in which set."""
    entry = entry_of("legal", wildcards.legal)
    keys = ("set_a", "set_b", "share_b", "minimum_utterances", "seed")
    return {key: entry[key] for key in keys}


def legal_config(wildcards):
    """Return the settings of a protocol's curves."""
    entry = entry_of("legal", wildcards.legal)
    keys = ("lengths", "runs", "seed", "selection", "singling_out", "linkability", "eer")
    return {key: entry[key] for key in keys}


def legal_embeddings(wildcards):
    """Return the embeddings of all datasets of a protocol as the wildcards' system renders them."""
    base = f"{wildcards.asv}/{wildcards.trained_on}/{wildcards.seed}/{wildcards.system}"
    return [
        f"<results>/embeddings/{base}/{dataset}/{part}.npz"
        for dataset in legal_datasets(wildcards.legal)
        for part in part_names(dataset)
    ]


def legal_metrics(wildcards):
    """Return the rows that the figure and the table of a legal evaluation are made from."""
    try:
        return CATALOGUE.legal_plan(wildcards.study).metric_files()
    except ConfigurationError as error:
        raise WorkflowError(str(error))


def legal_report_config(wildcards):
    """Return what the figure and the table of a legal evaluation need to know."""
    return CATALOGUE.legal_plan(wildcards.study).report_config


def common_voice_list(wildcards):
    """Return the list of a release of Common Voice, or say how to get it."""
    entry = entry_of("common_voice", wildcards.release)
    path = Path(config["corpora"]) / entry["folder"] / entry["list"]
    if not path.is_file():
        raise WorkflowError(
            f"corpus {wildcards.release}: no file {path}. Common Voice cannot be fetched by a "
            "program: accept its terms at https://commonvoice.mozilla.org/datasets, download the "
            f"release and unpack it so that {path.parent / 'clips'} holds the clips (docs/legal.md)"
        )
    return str(path)


def common_voice_config(wildcards):
    """Return the settings of a release of Common Voice."""
    return entry_of("common_voice", wildcards.release)
