# Tidy rows become the tables and figures that people ask for by name.
rule make_table:
    """Print one table of a study: full precision, Markdown and LaTeX."""
    input:
        metrics=table_metrics,
        evidence=table_evidence,
        curves=table_curves,
        src=sources("make_table"),
    output:
        tsv="<results>/{study}/tables/{table}.tsv",
        md=report(
            "<results>/{study}/tables/{table}.md",
            category="{study}",
            labels={"table": "{table}"},
        ),
        tex="<results>/{study}/tables/{table}.tex",
    log:
        "<logs>/make_table/{study}/{table}.log",
    benchmark:
        "<benchmarks>/make_table/{study}/{table}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=table_config,
    script:
        "../scripts/make_table.py"


rule compare_table:
    """Set one table of a study beside the published values."""
    input:
        table="<results>/{study}/tables/table_{number}.tsv",
        published=printed_values,
        src=sources("compare_table"),
    output:
        tsv="<results>/{study}/tables/compare_{number}.tsv",
        md=report(
            "<results>/{study}/tables/compare_{number}.md",
            category="{study}",
            labels={"table": "{number}, beside published"},
        ),
    log:
        "<logs>/compare_table/{study}/{number}.log",
    benchmark:
        "<benchmarks>/compare_table/{study}/{number}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=comparison_config,
    script:
        "../scripts/compare_table.py"


rule make_figure:
    """Draw one figure of a study as vector and as picture."""
    input:
        files=figure_files,
        src=sources("make_figure"),
    output:
        pdf="<results>/{study}/figures/{figure}.pdf",
        png=report(
            "<results>/{study}/figures/{figure}.png",
            category="{study}",
            labels={"figure": "{figure}"},
        ),
    log:
        "<logs>/make_figure/{study}/{figure}.log",
    benchmark:
        "<benchmarks>/make_figure/{study}/{figure}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=figure_config,
    script:
        "../scripts/make_figure.py"


rule report_attackers:
    """Say how strong a study's attackers are, and which are too weak for a privacy claim."""
    input:
        metrics=card_metrics,
        curves=card_curves,
        src=sources("report_attackers"),
    output:
        md=report("<results>/{study}/attackers.md", category="{study}"),
    log:
        "<logs>/report_attackers/{study}.log",
    benchmark:
        "<benchmarks>/report_attackers/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=card_config,
    script:
        "../scripts/report_attackers.py"


rule find_strongest:
    """Find the attacker that recognises most on each system of a study."""
    input:
        metrics=contest_metrics,
        src=sources("find_strongest"),
    output:
        tsv="<results>/{study}/tables/table_strongest.tsv",
        md=report(
            "<results>/{study}/tables/table_strongest.md",
            category="{study}",
            labels={"table": "strongest attackers"},
        ),
    log:
        "<logs>/find_strongest/{study}.log",
    benchmark:
        "<benchmarks>/find_strongest/{study}.tsv"
    conda:
        "../envs/analysis.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime="5m",
    params:
        config=contest_config,
    script:
        "../scripts/find_strongest.py"
