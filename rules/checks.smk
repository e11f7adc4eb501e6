# Do a study's results have the shape of the published ones?
rule check_orderings:
    """Judge the five orderings of the VoicePrivacy 2020 results, system by system."""
    input:
        metrics=ordering_metrics,
        curves=ordering_curves,
        src=sources("check_orderings"),
    output:
        md=report("<results>/{study}/checks/orderings.md", category="{study}"),
    log:
        "<logs>/check_orderings/{study}.log",
    benchmark:
        "<benchmarks>/check_orderings/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=ordering_config,
    script:
        "../scripts/check_orderings.py"


rule check_vectors:
    """Judge the voices that a study's chain systems choose, before they are spoken."""
    input:
        figures=voice_figures,
        src=sources("check_vectors"),
    output:
        md=report("<results>/{study}/checks/vectors.md", category="{study}"),
    log:
        "<logs>/check_vectors/{study}.log",
    benchmark:
        "<benchmarks>/check_vectors/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=vector_config,
    script:
        "../scripts/check_vectors.py"


rule collect_samples:
    """Copy some trial utterances as every system renders them, with a page to hear them."""
    input:
        manifest=sample_manifest,
        manifests=sample_audio,
        passing=passing_audio(sample_audio),
        src=sources("collect_samples"),
    output:
        audio=directory("<results>/{study}/samples/audio"),
        page="<results>/{study}/samples/index.html",
    log:
        "<logs>/collect_samples/{study}.log",
    benchmark:
        "<benchmarks>/collect_samples/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="10m",
    params:
        config=sample_config,
    script:
        "../scripts/collect_samples.py"
