# The legal framework: two sets of utterances, curves by population size, one figure, one table.
rule build_legal_sets:
    """Assign the utterances of a protocol's datasets to set A and set B."""
    input:
        manifests=legal_manifests,
        src=sources("build_legal_sets"),
    output:
        sets="<results>/legal/{legal}/sets.tsv",
    log:
        "<logs>/build_legal_sets/{legal}.log",
    benchmark:
        "<benchmarks>/build_legal_sets/{legal}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="30m",
    params:
        config=legal_sets_config,
    script:
        "../scripts/build_legal_sets.py"


rule compute_singling_out:
    """Compute how often one speaker of a population is singled out, by population size."""
    input:
        sets="<results>/legal/{legal}/sets.tsv",
        embeddings=legal_embeddings,
        src=sources("compute_singling_out"),
    output:
        metrics="<results>/metrics/legal/{legal}/{asv}/{trained_on}/{seed}/{system}/singling_out.tsv",
    log:
        "<logs>/compute_singling_out/{legal}/{asv}/{trained_on}/{seed}/{system}.log",
    benchmark:
        "<benchmarks>/compute_singling_out/{legal}/{asv}/{trained_on}/{seed}/{system}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime="4h",
    params:
        ids=wildcard_values,
        config=legal_config,
    script:
        "../scripts/compute_singling_out.py"


rule compute_linkability:
    """Compute how often speech is linked to its speaker, and the EER, by population size."""
    input:
        sets="<results>/legal/{legal}/sets.tsv",
        embeddings=legal_embeddings,
        src=sources("compute_linkability"),
    output:
        metrics="<results>/metrics/legal/{legal}/{asv}/{trained_on}/{seed}/{system}/linkability.tsv",
    log:
        "<logs>/compute_linkability/{legal}/{asv}/{trained_on}/{seed}/{system}.log",
    benchmark:
        "<benchmarks>/compute_linkability/{legal}/{asv}/{trained_on}/{seed}/{system}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime="4h",
    params:
        ids=wildcard_values,
        config=legal_config,
    script:
        "../scripts/compute_linkability.py"


rule read_published_legal:
    """Turn the published curves of the legal framework into rows as we compute them."""
    input:
        curves=published_file("legal_figure1.csv"),
        src=sources("read_published_legal"),
    output:
        metrics="<results>/metrics/published/legal.tsv",
    log:
        "<logs>/read_published_legal.log",
    benchmark:
        "<benchmarks>/read_published_legal.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    script:
        "../scripts/read_published_legal.py"


rule make_legal_figure:
    """Draw the curves of a legal evaluation: a row per metric, a column per length."""
    input:
        metrics=legal_metrics,
        src=sources("make_legal_figure"),
    output:
        pdf="<results>/{study}/figures/legal_figure_1.pdf",
        png=report(
            "<results>/{study}/figures/legal_figure_1.png",
            category="{study}",
            labels={"figure": "legal_figure_1"},
        ),
    log:
        "<logs>/make_legal_figure/{study}.log",
    benchmark:
        "<benchmarks>/make_legal_figure/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=legal_report_config,
    script:
        "../scripts/make_legal_figure.py"


rule make_legal_table:
    """Print a legal evaluation at named population sizes, with intervals and chance."""
    input:
        metrics=legal_metrics,
        src=sources("make_legal_table"),
    output:
        tsv="<results>/{study}/tables/legal_table_1.tsv",
        md=report(
            "<results>/{study}/tables/legal_table_1.md",
            category="{study}",
            labels={"table": "legal_table_1"},
        ),
        tex="<results>/{study}/tables/legal_table_1.tex",
    log:
        "<logs>/make_legal_table/{study}.log",
    benchmark:
        "<benchmarks>/make_legal_table/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=legal_report_config,
    script:
        "../scripts/make_legal_table.py"
