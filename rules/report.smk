# Tidy rows become the tables and figures that people ask for by name.
rule make_table:
    """Print one table of a study: full precision, Markdown and LaTeX."""
    input:
        metrics=table_metrics,
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
