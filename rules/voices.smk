# Chain systems choose a voice for every utterance, before anything is spoken.
rule choose_voices:
    """Choose the pseudo-voice of every utterance of a dataset, as a vector to speak with."""
    input:
        manifest="<results>/data/{dataset}/manifest.tsv",
        embeddings=source_vectors,
        pool_manifest=pool_manifest,
        pool_embeddings=pool_vectors,
        plda=vector_plda,
        networks=step_networks,
        src=sources("choose_voices"),
        steps=step_sources,
    output:
        voices="<results>/voices/{system}/{dataset}.npz",
    log:
        "<logs>/choose_voices/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/choose_voices/{system}/{dataset}.tsv"
    wildcard_constraints:
        system=chain_systems(),
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        config=choice_config,
    script:
        "../scripts/choose_voices.py"


rule describe_voices:
    """Measure the voices that a chain system chooses for a dataset."""
    input:
        voices="<results>/voices/{system}/{dataset}.npz",
        manifest="<results>/data/{dataset}/manifest.tsv",
        embeddings=source_vectors,
        pool_manifest=pool_manifest,
        pool_embeddings=pool_vectors,
        networks=step_networks,
        src=sources("describe_voices"),
    output:
        figures="<results>/metrics/voices/{system}/{dataset}.tsv",
    log:
        "<logs>/describe_voices/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/describe_voices/{system}/{dataset}.tsv"
    wildcard_constraints:
        system=chain_systems(),
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        config=description_config,
    script:
        "../scripts/describe_voices.py"
