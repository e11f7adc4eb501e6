# Intelligibility: language model, recogniser, transcripts.
rule estimate_lm:
    """Estimate an n-gram language model from the transcripts of its training data."""
    input:
        manifests=lm_text,
        src=sources("estimate_lm"),
    output:
        arpa="<results>/lm/{lm}.arpa",
    log:
        "<logs>/estimate_lm/{lm}.log",
    benchmark:
        "<benchmarks>/estimate_lm/{lm}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="60m",
    params:
        config=model_config("lm"),
    script:
        "../scripts/estimate_lm.py"


rule train_asr:
    """Train a speech recogniser on speech as one system renders it."""
    input:
        manifests=training_audio("asr"),
        lexicon=lexicon("asr"),
        passing=passing_audio(training_audio("asr")),
        src=sources("train_asr"),
        backend=backend_sources("asr"),
    output:
        model="<results>/asr/{asr}/{trained_on}/{seed}/model.pt",
        curve="<results>/asr/{asr}/{trained_on}/{seed}/curve.tsv",
        card="<results>/asr/{asr}/{trained_on}/{seed}/card.yaml",
    log:
        "<logs>/train_asr/{asr}/{trained_on}/{seed}.log",
    benchmark:
        "<benchmarks>/train_asr/{asr}/{trained_on}/{seed}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime="24h",
        gpu=1,
    params:
        config=with_lexicon("asr", training_config("asr")),
    script:
        "../scripts/train_asr.py"


rule decode_speech:
    """Transcribe the trial utterances of one part of a dataset."""
    input:
        model="<results>/asr/{asr}/{trained_on}/{seed}/model.pt",
        arpa=language_model,
        manifests=rendered_part,
        passing=passing_audio(rendered_part),
        src=sources("decode_speech"),
        backend=backend_sources("asr"),
    output:
        transcripts="<results>/transcripts/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}/{part}.tsv",
    log:
        "<logs>/decode_speech/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}/{part}.log",
    benchmark:
        "<benchmarks>/decode_speech/{asr}/{trained_on}/{seed}/{lm}/{system}/{dataset}/{part}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="4h",
    params:
        config=model_config("asr"),
    script:
        "../scripts/decode_speech.py"


rule transcribe_speech:
    """Transcribe the trial utterances of a dataset with a recogniser that others trained."""
    input:
        network=pretrained_network,
        manifests=whole_dataset,
        src=sources("transcribe_speech"),
        backend=backend_sources("asr"),
    output:
        transcripts="<results>/transcripts/{asr}/orig/{seed}/none/{system}/{dataset}/000.tsv",
    log:
        "<logs>/transcribe_speech/{asr}/{seed}/{system}/{dataset}.log",
    benchmark:
        "<benchmarks>/transcribe_speech/{asr}/{seed}/{system}/{dataset}.tsv"
    conda:
        "../envs/pretrained.yaml"
    threads: 2
    resources:
        mem_mb=12000,
        runtime="12h",
        gpu=1,
    params:
        config=model_config("asr"),
    script:
        "../scripts/transcribe_speech.py"
