# Attackers: speaker verification models, embeddings and trial scores.
rule train_asv:
    """Train a speaker verification model on speech as one system renders it."""
    input:
        manifests=training_audio("asv"),
        passing=passing_audio(training_audio("asv")),
        initial=initial_model,
        src=sources("train_asv"),
        backend=backend_sources("asv"),
    output:
        model="<results>/asv/{asv}/{trained_on}/{seed}/model.pt",
        curve="<results>/asv/{asv}/{trained_on}/{seed}/curve.tsv",
        card="<results>/asv/{asv}/{trained_on}/{seed}/card.yaml",
    log:
        "<logs>/train_asv/{asv}/{trained_on}/{seed}.log",
    benchmark:
        "<benchmarks>/train_asv/{asv}/{trained_on}/{seed}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 2
    resources:
        mem_mb=8000,
        runtime="12h",
        gpu=1,
    params:
        config=training_config("asv"),
    script:
        "../scripts/train_asv.py"


rule embed_utterances:
    """Turn every utterance of one part of a dataset into a speaker embedding."""
    input:
        model=model_file("asv"),
        manifests=rendered_part,
        passing=passing_audio(rendered_part),
        src=sources("embed_utterances"),
        backend=backend_sources("asv"),
    output:
        embeddings="<results>/embeddings/{asv}/{trained_on}/{seed}/{system}/{dataset}/{part}.npz",
    log:
        "<logs>/embed_utterances/{asv}/{trained_on}/{seed}/{system}/{dataset}/{part}.log",
    benchmark:
        "<benchmarks>/embed_utterances/{asv}/{trained_on}/{seed}/{system}/{dataset}/{part}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="2h",
    params:
        config=embedder_config,
    script:
        "../scripts/embed_utterances.py"


rule average_speakers:
    """Average the embeddings of each training speaker, for scores that need a cohort."""
    input:
        embeddings=training_embeddings,
        manifests=training_manifests,
        src=sources("average_speakers"),
    output:
        speakers="<results>/speakers/{asv}/{trained_on}/{seed}.npz",
    log:
        "<logs>/average_speakers/{asv}/{trained_on}/{seed}.log",
    benchmark:
        "<benchmarks>/average_speakers/{asv}/{trained_on}/{seed}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="30m",
    script:
        "../scripts/average_speakers.py"


rule fit_plda:
    """Estimate LDA and PLDA from the embeddings of a model's own training data."""
    input:
        embeddings=training_embeddings,
        manifests=training_manifests,
        src=sources("fit_plda"),
    output:
        plda="<results>/asv/{asv}/{trained_on}/{seed}/plda.npz",
    log:
        "<logs>/fit_plda/{asv}/{trained_on}/{seed}.log",
    benchmark:
        "<benchmarks>/fit_plda/{asv}/{trained_on}/{seed}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        config=scoring_config,
    script:
        "../scripts/fit_plda.py"


rule score_trials:
    """Score one gender's trials of a dataset as one attacker would."""
    input:
        enrol=side_of_attack("enrolment"),
        test=side_of_attack("trials"),
        manifest="<results>/data/{dataset}/manifest.tsv",
        trials="<results>/data/{dataset}/trials_{gender}.tsv",
        scoring_files=scoring_files,
        src=sources("score_trials"),
        scoring=scoring_sources,
    output:
        scores="<results>/scores/{asv}/{attacker}/{seed}/{system}/{dataset}/{gender}.tsv",
    log:
        "<logs>/score_trials/{asv}/{attacker}/{seed}/{system}/{dataset}/{gender}.log",
    benchmark:
        "<benchmarks>/score_trials/{asv}/{attacker}/{seed}/{system}/{dataset}/{gender}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="10m",
    params:
        config=scoring_config,
    script:
        "../scripts/score_trials.py"


rule import_scores:
    """Join the scores that a system was handed in as with one gender's trials."""
    input:
        given=given_scores,
        trials="<results>/data/{dataset}/trials_{gender}.tsv",
        src=sources("import_scores"),
    output:
        scores="<results>/scores/given/{attacker}/0/{system}/{dataset}/{gender}.tsv",
    log:
        "<logs>/import_scores/{attacker}/{system}/{dataset}/{gender}.log",
    benchmark:
        "<benchmarks>/import_scores/{attacker}/{system}/{dataset}/{gender}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="10m",
    script:
        "../scripts/import_scores.py"
