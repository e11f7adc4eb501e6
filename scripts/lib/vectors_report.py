"""The page about the voices that a study's chain systems choose."""

from collections.abc import Mapping, Sequence

import pandas as pd

from scripts.lib.markup import markdown_lines
from scripts.lib.vector_claims import Figures, claims

INTRODUCTION = (
    "Vectors only: nothing has been spoken or judged by an attacker yet. Cosines between voices "
    "are of pairs within a gender, one voice per speaker and subset (or per speaker, or utterance, "
    "as the system's level says), beside those of the pool's speakers; KS is the two-sample "
    "Kolmogorov-Smirnov distance of the two. Pairs share voices, so its p-value is too small. "
    "Probes are logistic regressions, trained anew: the speaker's on half of each one's "
    "utterances, the gender's on other speakers than it judges."
)


def vectors_report(
    title: str, rows: pd.DataFrame, systems: Mapping[str, Mapping], display: Mapping
) -> str:
    """Return the page: every claim with its verdict, then all figures.

    Parameters
    ----------
    title
        Name of the study.
    rows
        Rows of `describe_voices`.
    systems
        Dataset to system to steps.
    display
        Printed names.
    """
    names = display["systems"]

    def label(systems: Sequence[str]) -> str:
        return ", ".join(names.get(system, system) for system in systems)

    lines = [f"# Vectors of the study: {title}", "", INTRODUCTION, ""]
    for dataset, own in systems.items():
        figures = Figures(rows[rows["dataset"] == dataset])
        found = claims(own, figures)
        judged = [claim for claim in found if claim.holds is not None]
        lines += [f"## {display['datasets'].get(dataset, dataset)}", ""]
        kept = sum(claim.holds for claim in judged)
        lines += [f"{kept} of {len(judged)} figures are as expected.", ""]
        body = [["systems", "expected", "found", "verdict"]]
        body += [[label(c.systems), c.text, c.found, c.verdict] for c in found]
        lines += [*markdown_lines(body), ""] if found else []
        failed = [claim for claim in judged if not claim.holds and claim.why]
        lines += [f"- {label(c.systems)}, {c.text}: it may be that {c.why}." for c in failed]
        lines += [""] if failed else []
        lines += [*_table(own, figures, names), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(systems: Mapping[str, object], figures: Figures, names: Mapping) -> list[str]:
    head = ["system", "voices", "distinct", "between voices", "between pool speakers", "KS (p)"]
    body = [[*head, "to the source", "enrolment to trials"]]
    for system in systems:
        counts = [f"{figures.value(system, name):.0f}" for name in ("voices", "distinct")]
        found = figures.genders(system, "ks", "ks_p").values()
        tests = [f"{ks:.2f} ({p:.0e})" for ks, p in found]
        cosines = [
            figures.mean(system, name) for name in ("voice_cosine", "pool_cosine", "source_cosine")
        ]
        printed = [_number(value) for value in (*cosines, figures.value(system, "linked_cosine"))]
        label = names.get(system, system)
        body.append([label, *counts, *printed[:2], ", ".join(tests), *printed[2:]])
    return markdown_lines(body)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
