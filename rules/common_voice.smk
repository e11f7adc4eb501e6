# Releases of Mozilla Common Voice, which have to be downloaded by hand.
rule prepare_common_voice:
    """Make Kaldi directories of set A and set B from a release of Common Voice."""
    input:
        listed=common_voice_list,
        src=sources("prepare_common_voice"),
    output:
        data=directory("<results>/corpora/{release}/data"),
        counts="<results>/corpora/{release}/counts.tsv",
        sums="<results>/corpora/{release}/SHA256SUMS",
    log:
        "<logs>/prepare_common_voice/{release}.log",
    benchmark:
        "<benchmarks>/prepare_common_voice/{release}.tsv"
    wildcard_constraints:
        release=CATALOGUE.pattern("common_voice"),
    conda:
        "../envs/analysis.yaml"
    threads: 4
    resources:
        mem_mb=8000,
        runtime="6h",
    params:
        config=common_voice_config,
    script:
        "../scripts/prepare_common_voice.py"
