# Scores, transcripts and predictions become tidy metric rows.
rule compute_privacy:
    """Compute every score metric of one attack on a dataset, gender by gender."""
    input:
        scores=scored_genders,
        manifest="<results>/data/{dataset}/manifest.tsv",
        src=sources("compute_privacy"),
    output:
        metrics="<results>/metrics/privacy/{asv}/{attacker}/{seed}/{system}/{dataset}.tsv",
    log:
        "<logs>/compute_privacy/{asv}/{attacker}/{seed}/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/compute_privacy/{asv}/{attacker}/{seed}/{system}/{dataset}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="10m",
    params:
        ids=wildcard_values,
    script:
        "../scripts/compute_privacy.py"


rule compute_wer:
    """Count word errors over the pooled trial utterances of a dataset."""
    input:
        transcripts="<results>/transcripts/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}.tsv",
        src=sources("compute_wer"),
    output:
        metrics="<results>/metrics/wer/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}.tsv",
    log:
        "<logs>/compute_wer/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/compute_wer/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="10m",
    params:
        ids=wildcard_values,
    script:
        "../scripts/compute_wer.py"


rule compute_uar:
    """Average the recall of the emotion classes over folds."""
    input:
        predictions="<results>/emotions/{ser}/{trained_on}/{seed}/{system}/{dataset}.tsv",
        src=sources("compute_uar"),
    output:
        metrics="<results>/metrics/uar/{ser}/{trained_on}/{seed}/{system}/{dataset}.tsv",
    log:
        "<logs>/compute_uar/{ser}/{trained_on}/{seed}/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/compute_uar/{ser}/{trained_on}/{seed}/{system}/{dataset}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="10m",
    params:
        ids=wildcard_values,
    script:
        "../scripts/compute_uar.py"
