# What a run was made with, and what it took.
rule record_run:
    """Record revision, versions, configuration and checksums of a study, and what its jobs took."""
    input:
        data=recorded_data,
        results=recorded_results,
        src=sources("record_run"),
    output:
        provenance="<results>/{study}/provenance.json",
        tsv="<results>/{study}/benchmarks.tsv",
        md="<results>/{study}/benchmarks.md",
    log:
        "<logs>/record_run/{study}.log",
    benchmark:
        "<benchmarks>/record_run/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=record_config,
    script:
        "../scripts/record_run.py"
