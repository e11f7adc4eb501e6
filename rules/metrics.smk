# Scores, transcripts and predictions become tidy metric rows.
rule compute_privacy:
    """Compute every score metric of one attack on a dataset, gender by gender."""
    input:
        scores=scored_genders,
        manifest=manifest_of,
        src=sources("compute_privacy"),
    output:
        metrics="<results>/metrics/privacy/{asv}/{attacker}/{seed}/{system}/{dataset}.tsv",
    log:
        "<logs>/compute_privacy/{asv}/{attacker}/{seed}/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/compute_privacy/{asv}/{attacker}/{seed}/{system}/{dataset}.tsv"
    wildcard_constraints:
        asv=CATALOGUE.scorers,
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


rule compute_similarity:
    """Compute the voice similarity matrices of a system for one gender's trial utterances."""
    input:
        original=original_embeddings,
        anonymized=anonymized_embeddings,
        manifest="<results>/data/{dataset}/manifest.tsv",
        scoring_files=scoring_files,
        src=sources("compute_similarity"),
        scoring=scoring_sources,
    output:
        matrices="<results>/similarity/{asv}/{trained_on}/{seed}/{system}/{dataset}/{gender}.npz",
    log:
        "<logs>/compute_similarity/{asv}/{trained_on}/{seed}/{system}/{dataset}/{gender}.log",
    benchmark:
        "<benchmarks>/compute_similarity/{asv}/{trained_on}/{seed}/{system}/{dataset}/{gender}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="30m",
    params:
        config=scoring_config,
    script:
        "../scripts/compute_similarity.py"


rule compute_distinctiveness:
    """Compute voice distinctiveness and de-identification, gender by gender."""
    input:
        matrices=similarity_of_genders,
        src=sources("compute_distinctiveness"),
    output:
        metrics="<results>/metrics/similarity/{asv}/{trained_on}/{seed}/{system}/{dataset}.tsv",
    log:
        "<logs>/compute_distinctiveness/{asv}/{trained_on}/{seed}/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/compute_distinctiveness/{asv}/{trained_on}/{seed}/{system}/{dataset}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="10m",
    params:
        ids=wildcard_values,
    script:
        "../scripts/compute_distinctiveness.py"


rule read_published:
    """Turn published values into the metric rows that tables and figures read."""
    input:
        privacy=published_file("vpc2020_privacy.csv"),
        trials=published_file("vpc2020_trials.csv"),
        wer=published_file("vpc2020_plan_wer.csv"),
        baselines=published_file("vpc2024_baselines.csv"),
        src=sources("read_published"),
    output:
        vpc2020="<results>/metrics/published/vpc2020.tsv",
        plan_09="<results>/metrics/published/vpc2020_plan_09.tsv",
        plan_11="<results>/metrics/published/vpc2020_plan_11.tsv",
        vpc2024="<results>/metrics/published/vpc2024.tsv",
    log:
        "<logs>/read_published.log",
    benchmark:
        "<benchmarks>/read_published.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    script:
        "../scripts/read_published.py"


rule compute_wer:
    """Count word errors over the pooled trial utterances of a dataset."""
    input:
        transcripts=counted_transcripts,
        src=sources("compute_wer"),
    output:
        metrics="<results>/metrics/wer/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}.tsv",
    log:
        "<logs>/compute_wer/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/compute_wer/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}.tsv"
    wildcard_constraints:
        dataset="|".join(CATALOGUE.pools),
        lm="|".join([CATALOGUE.pattern("lm"), NO_LM]),
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
        predictions=predictions_of_parts,
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
