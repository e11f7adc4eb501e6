# Systems turn a dataset's speech into anonymized speech, shard by shard.
rule index_external:
    """Check the finished audio of an external system and list it with a hash per file."""
    input:
        manifest="<results>/data/{dataset}/manifest.tsv",
        audio=external_audio,
        src=sources("index_external"),
    output:
        index="<results>/external/{system}/{dataset}.tsv",
    log:
        "<logs>/index_external/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/index_external/{system}/{dataset}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="60m",
    params:
        config=index_config,
    script:
        "../scripts/index_external.py"


rule anonymize_shard:
    """Anonymize one shard of a dataset; the manifest beside the audio lists every file's hash."""
    input:
        manifest="<results>/data/{dataset}/manifest.tsv",
        passing=passing_corpus,
        src=sources("anonymize_shard"),
        method=method_sources,
        own=own_files,
        index=external_index,
    output:
        audio=directory("<results>/audio/{system}/{dataset}/{shard}"),
        manifest="<results>/audio/{system}/{dataset}/{shard}.tsv",
    log:
        "<logs>/anonymize_shard/{system}/{dataset}/{shard}.log",
    benchmark:
        "<benchmarks>/anonymize_shard/{system}/{dataset}/{shard}.tsv"
    wildcard_constraints:
        system=other_systems(),
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="120m",
    params:
        config=anonymization_config,
    script:
        "../scripts/anonymize_shard.py"
