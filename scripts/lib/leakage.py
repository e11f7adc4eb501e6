"""What content tells about the speaker, system by system, and the claims about it.

Published claims: less is left in the content of M1 than in that of B1; making it forget the speaker
leaves less still, and costs less than a tenth more wrong units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from scripts.lib.markup import markdown_lines

BASELINE, RECOGNISER, ADVERSARIAL = "b1", "m1", "m1c1"
DEAREST = 0.10
# Column of a training's curve.
UNIT_ERROR = "valid_unit_error"
INTRODUCTION = (
    "A fresh probe (multinomial logistic regression on mean and standard deviation over time) "
    "learns the speakers from half of their utterances and names them in the other half. The "
    "content extractors were trained on other speakers. Brackets hold 95 % binomial intervals, "
    "which take utterances of one speaker as independent and so are too narrow."
)
WHY = {
    (RECOGNISER, BASELINE): "in the challenge B1 was given i-vectors at its input, which is what "
    "M1 did without; where our B1 has none either, the reason for the difference is gone, and what "
    "is left is how much the two networks happen to forget",
    (ADVERSARIAL, RECOGNISER): "the branch was trained on a closed set of speakers, and what it "
    "taught need not hold for others; the published M1c1 could not be told from M1 either",
}
Probes = Mapping[tuple[str, str, str], Mapping]


@dataclass(frozen=True)
class Claim:
    """What is asked for, what was found, the verdict, and why it fails where it does."""

    text: str
    found: str
    verdict: str
    why: str = ""


def compare_probes(
    probes: Probes,
    chains: Mapping[str, Mapping[str, str]],
    dataset: str,
    names: Mapping[str, str],
) -> list[Claim]:
    """Return whether the probe falls from B1 to M1 and from M1 to M1c1.

    Parameters
    ----------
    probes
        Rows by stream, name and dataset.
    chains
        System to its `content`.
    dataset
        Whose speakers are told apart.
    names
        Printed names of systems.
    """
    claims = []
    for system, against in WHY:
        if system not in chains or against not in chains:
            continue
        own, other = (
            probes["content", chains[name]["content"], dataset] for name in (system, against)
        )
        apart = own["high"] < other["low"] or other["high"] < own["low"]
        holds = own["accuracy"] < other["accuracy"]
        verdict = ("holds" if holds else "**fails**") + ("" if apart else ", within the intervals")
        found = f"{percent(own)} against {percent(other)}"
        claims.append(
            Claim(
                f"the probe finds less in {names[system]} than in {names[against]}",
                found,
                verdict,
                "" if holds else WHY[system, against],
            )
        )
    return claims


def compare_units(curves: Mapping[str, pd.DataFrame], content: str) -> Claim:
    """Return whether forgetting the speaker costs less than a tenth more wrong units.

    The first report of the training shows the recogniser as it came: only the branch has been
    trained by then.
    """
    errors = curves[content][UNIT_ERROR]
    before, after = float(errors.iloc[0]), float(errors.iloc[-1])
    holds = after <= before * (1 + DEAREST)
    rise = f" ({after / before - 1:+.0%})" if before else ""
    why = (
        "the reversed gradient has taken from the content what units are told by; a smaller "
        "`adversary.strength` or more updates may help"
    )
    return Claim(
        f"unit error of {content} rises by less than {DEAREST:.0%}",
        f"{before:.1%} before, {after:.1%} after{rise}",
        "holds" if holds else "**fails**",
        "" if holds else why,
    )


def leakage_report(
    title: str,
    probes: pd.DataFrame,
    chains: Sequence[Mapping[str, Mapping[str, str]]],
    curves: Mapping[str, pd.DataFrame],
    display: Mapping,
) -> str:
    """Return the page: claims first, then every probe next to chance.

    Parameters
    ----------
    title
        Name of the study.
    probes
        Rows of `probe_content`.
    chains
        System to its `content` and `pitch`, once per kit.
    curves
        Loss curves of adversarial content extractors by name.
    display
        Printed names.
    """
    rows = {(row["stream"], row["name"], row["dataset"]): row for row in probes.to_dict("records")}
    lines = [f"# Speakers in the content: {title}", "", INTRODUCTION, ""]
    for dataset in probes["dataset"].unique():
        mine = probes[probes["dataset"] == dataset]
        lines += [f"## {display['datasets'].get(dataset, dataset)}", ""]
        body = [["features", "used by", "right, %", "chance, %", "utterances", "speakers"]]
        for row in mine.to_dict("records"):
            users = [
                display["systems"].get(system, system)
                for kit in chains
                for system, used in kit.items()
                if used[row["stream"]] == row["name"]
            ]
            body.append(
                [
                    f"{row['stream']} {row['name']}",
                    ", ".join(dict.fromkeys(users)) or "reference",
                    percent(row),
                    f"{100 * row['chance']:.1f}",
                    str(row["n"]),
                    str(row["speakers"]),
                ]
            )
        lines += [*markdown_lines(body), ""]
        claims = [
            claim
            for kit in chains
            for claim in compare_probes(rows, kit, dataset, display["systems"])
        ]
        lines += _listed(claims, "This study lacks the systems that the claims are about.")
    lines += ["## What forgetting costs", ""]
    costs = [compare_units(curves, content) for content in curves]
    lines += _listed(costs, "No content extractor of this study was made to forget the speaker.")
    return "\n".join(lines).rstrip() + "\n"


def percent(row: Mapping) -> str:
    """Return an accuracy with its interval, in percent.

    Examples
    --------
    >>> percent({"accuracy": 0.5, "low": 0.401, "high": 0.6})
    '50.0 [40.1, 60.0]'
    """
    return f"{100 * row['accuracy']:.1f} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


def _listed(claims: Sequence[Claim], otherwise: str) -> list[str]:
    if not claims:
        return [otherwise, ""]
    lines = []
    for claim in claims:
        lines.append(f"- {claim.text}: {claim.found}: {claim.verdict}.")
        if claim.why:
            lines[-1] += f" Why it may: {claim.why}."
    return [*lines, ""]
