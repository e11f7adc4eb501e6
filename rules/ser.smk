# Emotion: one recogniser per fold, and what they hear.
rule train_ser:
    """Train the emotion recognisers of all folds, each without its fold's speakers."""
    input:
        manifests=audio_trained_on,
        passing=passing_audio(audio_trained_on),
        given=given_ser_files,
        src=sources("train_ser"),
        backend=backend_sources("ser"),
    output:
        model="<results>/ser/{ser}/{trained_on}/{seed}/{dataset}/model.pt",
        curve="<results>/ser/{ser}/{trained_on}/{seed}/{dataset}/curve.tsv",
        card="<results>/ser/{ser}/{trained_on}/{seed}/{dataset}/card.yaml",
    log:
        "<logs>/train_ser/{ser}/{trained_on}/{seed}/{dataset}.log",
    benchmark:
        "<benchmarks>/train_ser/{ser}/{trained_on}/{seed}/{dataset}.tsv"
    conda:
        "../envs/pretrained.yaml"
    threads: 2
    resources:
        mem_mb=ser_training_memory,
        runtime="48h",
        gpu=1,
    params:
        config=ser_config,
    script:
        "../scripts/train_ser.py"


rule recognize_emotion:
    """Classify each utterance of a part with the model that never heard its speaker."""
    input:
        model="<results>/ser/{ser}/{trained_on}/{seed}/{dataset}/model.pt",
        manifests=rendered_part,
        passing=passing_audio(rendered_part),
        src=sources("recognize_emotion"),
        backend=backend_sources("ser"),
    output:
        predictions="<results>/emotions/{ser}/{trained_on}/{seed}/{system}/{dataset}/{part}.tsv",
    log:
        "<logs>/recognize_emotion/{ser}/{trained_on}/{seed}/{system}/{dataset}/{part}.log",
    benchmark:
        "<benchmarks>/recognize_emotion/{ser}/{trained_on}/{seed}/{system}/{dataset}/{part}.tsv"
    conda:
        "../envs/pretrained.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="2h",
    script:
        "../scripts/recognize_emotion.py"
