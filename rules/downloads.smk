# Public corpora from the network, for datasets that no prepared copy is given of.
rule download_archive:
    """Download the archive of a corpus; a broken download goes on where it stopped."""
    input:
        src=sources("download_archive"),
    output:
        archive="<results>/downloads/{download}.zip",
        record="<results>/downloads/{download}.yaml",
    log:
        "<logs>/download_archive/{download}.log",
    benchmark:
        "<benchmarks>/download_archive/{download}.tsv"
    retries: 3
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime="4h",
    params:
        config=download_config,
    script:
        "../scripts/download_archive.py"


rule prepare_corpus:
    """Turn the archive of a corpus into audio, lists and checksums."""
    input:
        archive="<results>/downloads/{download}.zip",
        facts=facts_of_download,
        src=sources("prepare_corpus"),
        preparation=preparation_sources,
    output:
        data=directory("<results>/corpora/{download}/data"),
        sums="<results>/corpora/{download}/SHA256SUMS",
    log:
        "<logs>/prepare_corpus/{download}.log",
    benchmark:
        "<benchmarks>/prepare_corpus/{download}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="60m",
    params:
        config=preparation_config,
    script:
        "../scripts/prepare_corpus.py"
