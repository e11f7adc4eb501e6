# Emotion: one recogniser per fold, and what they hear.
rule train_ser:
    """Train the emotion recognisers of all folds, each without its fold's speakers."""
    input:
        manifests=audio_trained_on,
        src=sources("train_ser"),
        backend=backend_sources("ser"),
    output:
        model="<results>/ser/{ser}/{trained_on}/{seed}/{dataset}/model.pt",
        curve="<results>/ser/{ser}/{trained_on}/{seed}/{dataset}/curve.tsv",
    log:
        "<logs>/train_ser/{ser}/{trained_on}/{seed}/{dataset}.log",
    benchmark:
        "<benchmarks>/train_ser/{ser}/{trained_on}/{seed}/{dataset}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 2
    resources:
        mem_mb=8000,
        runtime="12h",
        gpu=1,
    params:
        config=ser_config,
    script:
        "../scripts/train_ser.py"


rule recognize_emotion:
    """Classify each emotional utterance with the model that never heard its speaker."""
    input:
        model="<results>/ser/{ser}/{trained_on}/{seed}/{dataset}/model.pt",
        manifests=rendered_dataset,
        src=sources("recognize_emotion"),
        backend=backend_sources("ser"),
    output:
        predictions="<results>/emotions/{ser}/{trained_on}/{seed}/{system}/{dataset}.tsv",
    log:
        "<logs>/recognize_emotion/{ser}/{trained_on}/{seed}/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/recognize_emotion/{ser}/{trained_on}/{seed}/{system}/{dataset}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="2h",
    script:
        "../scripts/recognize_emotion.py"
