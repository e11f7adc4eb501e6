# Embedded corpora, utterance manifests and trial lists.
rule synthesize_corpus:
    """Make an embedded corpus with espeak-ng: audio, lists and checksums."""
    input:
        src=sources("synthesize_corpus"),
    output:
        data=directory("<results>/corpora/{corpus}/data"),
        sums="<results>/corpora/{corpus}/SHA256SUMS",
    log:
        "<logs>/synthesize_corpus/{corpus}.log",
    benchmark:
        "<benchmarks>/synthesize_corpus/{corpus}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 2
    resources:
        mem_mb=2000,
        runtime="15m",
    params:
        config=synthetic_config,
    script:
        "../scripts/synthesize_corpus.py"


rule prepare_manifest:
    """Read a dataset's Kaldi directories into one checked table of utterances."""
    input:
        lists=dataset_files,
        passing=passing_corpus,
        src=sources("prepare_manifest"),
    output:
        manifest="<results>/data/{dataset}/manifest.tsv",
    log:
        "<logs>/prepare_manifest/{dataset}.log",
    benchmark:
        "<benchmarks>/prepare_manifest/{dataset}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="60m",
    params:
        config=dataset_config,
    script:
        "../scripts/prepare_manifest.py"


rule prepare_trials:
    """Read one gender's trial list and check it against the manifest."""
    input:
        lists=dataset_files,
        manifest=manifest_of,
        src=sources("prepare_trials"),
    output:
        trials="<results>/data/{dataset}/trials_{gender}.tsv",
    log:
        "<logs>/prepare_trials/{dataset}/{gender}.log",
    benchmark:
        "<benchmarks>/prepare_trials/{dataset}/{gender}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="10m",
    params:
        config=dataset_config,
    script:
        "../scripts/prepare_trials.py"
