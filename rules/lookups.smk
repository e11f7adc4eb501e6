# Functions named by rules that take in others' numbers or print ours; no rules.


def published_file(name):
    """Return the path of a file with published values."""
    path = Path("config") / "published" / name
    return str(path if REPOSITORY == Path.cwd() else REPOSITORY / path)


def given_scores(wildcards):
    """Return the file of scores that a system was handed in as."""
    system = entry_of("systems", wildcards.system)
    if system["method"] != "scores":
        raise WorkflowError(f"system {wildcards.system}: is not given as scores")
    names = {key: wildcards[key] for key in ("attacker", "dataset", "gender")}
    try:
        return str(Path(config["corpora"]) / system["params"]["scores"].format(**names))
    except (KeyError, IndexError) as error:
        raise WorkflowError(
            f"system {wildcards.system}: params.scores holds {error}; "
            "known are {attacker}, {dataset} and {gender}"
        )


def table_metrics(wildcards):
    """Return the metric files that fill a table."""
    return CATALOGUE.table_inputs(wildcards.study, wildcards.table)


def figure_files(wildcards):
    """Return the metric, score or matrix files that a figure is drawn from."""
    return CATALOGUE.figure_inputs(wildcards.study, wildcards.figure)


def table_config(wildcards):
    """Return a table's form, the study's choices, and how to print them."""
    return CATALOGUE.report_config(wildcards.study, "tables", wildcards.table)


def figure_config(wildcards):
    """Return a figure's form, the study's choices, and how to print them."""
    return CATALOGUE.report_config(wildcards.study, "figures", wildcards.figure)


def printed_values(wildcards):
    """Return the printed values that a table is set beside."""
    return CATALOGUE.comparison_inputs(f"table_{wildcards.number}")


def comparison_config(wildcards):
    """Return what a table is called, whom its names correspond to, and how to print them."""
    return CATALOGUE.comparison_config(wildcards.study, f"table_{wildcards.number}")


def table_evidence(wildcards):
    """Return further metric files that show how strong a table's attackers are."""
    return CATALOGUE.table_evidence(wildcards.study, wildcards.table)


def table_curves(wildcards):
    """Return the loss curves of a table's attackers."""
    return [path for path, _ in CATALOGUE.table_curves(wildcards.study, wildcards.table)]


def card_metrics(wildcards):
    """Return the metric files of all attackers of a study."""
    return CATALOGUE.card_inputs(wildcards.study)[0]


def card_curves(wildcards):
    """Return the loss curves of all attackers of a study."""
    return [path for path, _ in CATALOGUE.card_inputs(wildcards.study)[1]]


def card_config(wildcards):
    """Return what the report card of a study's attackers needs to know."""
    return CATALOGUE.card_config(wildcards.study)


def contest_metrics(wildcards):
    """Return the metric files of all models and attackers of a study."""
    return CATALOGUE.contest_inputs(wildcards.study)


def contest_config(wildcards):
    """Return what the table of the strongest attackers is printed with."""
    return CATALOGUE.contest_config(wildcards.study)
