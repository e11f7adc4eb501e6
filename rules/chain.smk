# Chain systems speak anew what their extractors have taken apart.
rule synthesize_shard:
    """Speak one shard of a dataset anew in the voices chosen for it."""
    input:
        manifest="<results>/data/{dataset}/manifest.tsv",
        voices="<results>/voices/{system}/{dataset}.npz",
        content=content_of_shard,
        pitch=pitch_of_shard,
        known_manifests=known_manifests,
        known_pitch=known_pitch,
        acoustic=trained_part("acoustic"),
        vocoder=trained_part("vocoder"),
        src=sources("synthesize_shard"),
        acoustic_src=part_sources("acoustic"),
        vocoder_src=part_sources("vocoder"),
    output:
        audio=directory("<results>/audio/{system}/{dataset}/{shard}"),
        manifest="<results>/audio/{system}/{dataset}/{shard}.tsv",
    log:
        "<logs>/synthesize_shard/{system}/{dataset}/{shard}.log",
    benchmark:
        "<benchmarks>/synthesize_shard/{system}/{dataset}/{shard}.tsv"
    wildcard_constraints:
        system=chain_systems(),
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="4h",
    params:
        config=synthesis_config,
    script:
        "../scripts/synthesize_shard.py"


use rule synthesize_shard as synthesize_passing_shard with:
    output:
        audio=temp(directory("<results>/audio/{system}/{dataset}/{shard}")),
        manifest="<results>/audio/{system}/{dataset}/{shard}.tsv",
    wildcard_constraints:
        system=chain_systems(),
        dataset=passing("datasets"),


ruleorder: synthesize_passing_shard > synthesize_shard
