# How much of the speaker is left in what chains take from speech.
rule probe_content:
    """Name the speakers of a dataset by a fresh probe on their content."""
    input:
        features=content_of_dataset,
        manifest="<results>/data/{dataset}/manifest.tsv",
        src=sources("probe_content"),
    output:
        probe="<results>/probes/content/{content}/{dataset}.tsv",
    log:
        "<logs>/probe_content/{content}/{dataset}.log",
    benchmark:
        "<benchmarks>/probe_content/{content}/{dataset}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        config=probe_config("content"),
    script:
        "../scripts/probe_content.py"


use rule probe_content as probe_pitch with:
    input:
        features=pitch_of_dataset,
        manifest="<results>/data/{dataset}/manifest.tsv",
        src=sources("probe_content"),
    output:
        probe="<results>/probes/pitch/{pitch}/{dataset}.tsv",
    log:
        "<logs>/probe_pitch/{pitch}/{dataset}.log",
    benchmark:
        "<benchmarks>/probe_pitch/{pitch}/{dataset}.tsv"
    params:
        config=probe_config("pitch"),


rule check_leakage:
    """Set what probes find in the content of a study's systems beside chance and the claims."""
    input:
        probes=study_probes,
        curves=adversarial_curves,
        src=sources("check_leakage"),
    output:
        md=report("<results>/{study}/checks/leakage.md", category="{study}"),
    log:
        "<logs>/check_leakage/{study}.log",
    benchmark:
        "<benchmarks>/check_leakage/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=leakage_config,
    script:
        "../scripts/check_leakage.py"
