# What an anonymization chain takes from speech: what is said, and at which pitch.
rule train_content:
    """Train a content extractor on original speech with its transcripts."""
    input:
        manifests=content_speech,
        initial=initial_content,
        lexicon=lexicon("content"),
        passing=passing_audio(content_speech),
        src=sources("train_content"),
        backend=backend_sources("content"),
    output:
        model="<results>/content/{content}/model.pt",
        curve="<results>/content/{content}/curve.tsv",
        card="<results>/content/{content}/card.yaml",
    log:
        "<logs>/train_content/{content}.log",
    benchmark:
        "<benchmarks>/train_content/{content}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 2
    resources:
        mem_mb=8000,
        runtime="48h",
        gpu=1,
    params:
        config=with_lexicon("content", training_config("content")),
    script:
        "../scripts/train_content.py"


rule extract_content:
    """Say what is said in each frame of one shard of a dataset."""
    input:
        model=content_model,
        manifests=original_shard,
        passing=passing_audio(original_shard),
        src=sources("extract_content"),
        backend=backend_sources("content"),
    output:
        features="<results>/features/content/{content}/{dataset}/{shard}.npz",
    log:
        "<logs>/extract_content/{content}/{dataset}/{shard}.log",
    benchmark:
        "<benchmarks>/extract_content/{content}/{dataset}/{shard}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="4h",
    params:
        config=extraction_config,
    script:
        "../scripts/extract_content.py"


rule track_pitch:
    """Track the pitch of one shard of a dataset."""
    input:
        manifests=original_shard,
        passing=passing_audio(original_shard),
        src=sources("track_pitch"),
        backend=tracker_sources,
    output:
        features="<results>/features/pitch/{pitch}/{dataset}/{shard}.npz",
    log:
        "<logs>/track_pitch/{pitch}/{dataset}/{shard}.log",
    benchmark:
        "<benchmarks>/track_pitch/{pitch}/{dataset}/{shard}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="4h",
    params:
        config=model_config("pitch"),
    script:
        "../scripts/track_pitch.py"
