# What chain systems speak with is trained on original speech, in the voices of its own speakers.
rule train_acoustic:
    """Train an acoustic model: content, pitch and a voice become log-mel, or speech at once."""
    input:
        manifests=part_speech("acoustic"),
        passing=passing_audio(part_speech("acoustic")),
        content=training_features("acoustic", "content"),
        pitch=training_features("acoustic", "pitch"),
        vectors=training_vectors("acoustic"),
        src=sources("train_acoustic"),
        backend=backend_sources("acoustic"),
    output:
        model="<results>/acoustic/{acoustic}/model.pt",
        curve="<results>/acoustic/{acoustic}/curve.tsv",
        card="<results>/acoustic/{acoustic}/card.yaml",
    log:
        "<logs>/train_acoustic/{acoustic}.log",
    benchmark:
        "<benchmarks>/train_acoustic/{acoustic}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 2
    resources:
        mem_mb=8000,
        runtime="48h",
        gpu=1,
    params:
        config=training_config("acoustic"),
    script:
        "../scripts/train_acoustic.py"


rule train_vocoder:
    """Train a vocoder: log-mel and pitch become a waveform."""
    input:
        manifests=part_speech("vocoder"),
        passing=passing_audio(part_speech("vocoder")),
        content=training_features("vocoder", "content"),
        pitch=training_features("vocoder", "pitch"),
        vectors=training_vectors("vocoder"),
        acoustic=predicting_model,
        src=sources("train_vocoder"),
        backend=backend_sources("vocoder"),
        acoustic_src=predicting_sources,
    output:
        model="<results>/vocoder/{vocoder}/model.pt",
        curve="<results>/vocoder/{vocoder}/curve.tsv",
        card="<results>/vocoder/{vocoder}/card.yaml",
    log:
        "<logs>/train_vocoder/{vocoder}.log",
    benchmark:
        "<benchmarks>/train_vocoder/{vocoder}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 2
    resources:
        mem_mb=8000,
        runtime="48h",
        gpu=1,
    params:
        config=training_config("vocoder"),
    script:
        "../scripts/train_vocoder.py"


rule prepare_accents:
    """List the accents of a dataset's speakers, as far as they are known."""
    input:
        manifest="<results>/data/{dataset}/manifest.tsv",
        lists=accent_lists,
        src=sources("prepare_accents"),
    output:
        accents="<results>/data/{dataset}/accents.tsv",
    log:
        "<logs>/prepare_accents/{dataset}.log",
    benchmark:
        "<benchmarks>/prepare_accents/{dataset}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="10m",
    params:
        config=accent_config,
    script:
        "../scripts/prepare_accents.py"


rule train_autoencoder:
    """Train an autoencoder of speaker vectors that is made to forget whose they are."""
    input:
        manifests=part_speech("autoencoder"),
        vectors=training_vectors("autoencoder"),
        accents=training_accents,
        src=sources("train_autoencoder"),
        backend=backend_sources("autoencoder"),
    output:
        model="<results>/autoencoder/{autoencoder}/model.pt",
        layers="<results>/autoencoder/{autoencoder}/layers.npz",
        curve="<results>/autoencoder/{autoencoder}/curve.tsv",
        card="<results>/autoencoder/{autoencoder}/card.yaml",
    log:
        "<logs>/train_autoencoder/{autoencoder}.log",
    benchmark:
        "<benchmarks>/train_autoencoder/{autoencoder}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        mem_mb=12000,
        runtime="12h",
        gpu=1,
    params:
        config=training_config("autoencoder"),
    script:
        "../scripts/train_autoencoder.py"
