"""The five orderings as Markdown: every claim with its numbers, and why it fails where it does."""

from collections.abc import Mapping, Sequence
from math import inf

from scripts.lib.attackers import Weakness
from scripts.lib.markup import markdown_lines
from scripts.lib.orderings import QUANTITIES, TITLES, Check, Estimate, Figures, unjudged
from scripts.lib.reference import REFERENCE_SYSTEM
from scripts.lib.tables import GENDERS

WORDS = {
    "oa": "ignorant EER, %",
    "aa": "lazy-informed EER, %",
    "semi": "semi-informed EER, %",
    "g_vd": "G_VD, dB",
}
INTRODUCTION = (
    "Figures are unweighted means over the test datasets and genders, as in the published tables; "
    "brackets hold 95 % intervals (means of the cells' own, so wider than they need be; they cover "
    "speakers, not training seeds). "
    "A claim about two systems fails `within the intervals` if some value inside both intervals "
    "would satisfy it: then these data cannot decide."
)


def orderings_report(
    title: str,
    found: Figures,
    checks: Sequence[Check],
    weaknesses: Sequence[Weakness],
    display: Mapping,
) -> str:
    """Return all claims of the five orderings, with a reason for each that fails.

    Parameters
    ----------
    title
        Name of the study.
    found
        The figures of all systems.
    checks
        The judged claims.
    weaknesses
        Why some attackers are too weak to speak of privacy.
    display
        Printed names.
    """
    names = display["systems"]
    kept = sum(check.holds for check in checks)
    lines = [f"# Orderings of the study: {title}", "", INTRODUCTION, ""]
    lines += [f"{kept} of {len(checks)} claims hold.", ""]
    missing = [names.get(system, system) for system in unjudged(found, checks)]
    if missing:
        lines += [f"Not in this study, or nothing to compare with: {', '.join(missing)}.", ""]
    for ordering, heading in TITLES.items():
        lines += [f"## {ordering}. {heading}", ""]
        mine = [check for check in checks if check.ordering == ordering]
        if not mine:
            lines += ["This study has no systems to judge it by.", ""]
            continue
        body = [["system", "claim", "found", "verdict"]]
        body += [
            [
                names.get(check.system, check.system),
                claim(check, names),
                _bracketed(check.figure),
                check.verdict,
            ]
            for check in mine
        ]
        lines += [*markdown_lines(body), ""]
        lines += [
            f"- {explanation(check, found, weaknesses, display)}"
            for check in mine
            if not check.holds
        ]
        lines += [""] if not all(check.holds for check in mine) else []
    lines += ["## Figures", "", *_figures(found, names)]
    return "\n".join(lines) + "\n"


def claim(check: Check, names: Mapping[str, str]) -> str:
    """Return what a check asks for, in words."""
    if check.quantity == "drop":
        return "semi-informed EER below the lazy-informed one"
    word = WORDS[check.quantity].split(",")[0]
    if not check.against:
        return f"{word} between {check.least:g} and {check.most:g}"
    other = names.get(check.against, check.against)
    if check.least == -check.most:
        return f"{word} within {check.most:g} of {other}"
    if check.least == 0.0:
        return f"{word} above {other}"
    if check.most == 0.0:
        return f"{word} below {other}"
    place = f"at least {-check.most:g} below" if check.most < 0 else f"at most {check.most:g} above"
    return f"{word} {place} {other}"


def explanation(
    check: Check, found: Figures, weaknesses: Sequence[Weakness], display: Mapping
) -> str:
    """Return why a claim fails: by how much, in which cells, and whether an attacker is weak."""
    names = display["systems"]
    name, figure = names.get(check.system, check.system), check.figure
    miss = check.least - figure.value if figure.value < check.least else figure.value - check.most
    unit = "dB" if check.quantity == "g_vd" else "points"
    parts = [f"**{name}**, {claim(check, names)}: {_sides(check, found, names)}, so it is missed"]
    parts[0] += f" by {miss:.1f} {unit}"
    parts[0] += (
        ", beyond both intervals" if check.certain else ", which the intervals do not exclude"
    )
    broken = [
        f"{display['datasets'].get(dataset, dataset)} {GENDERS.get(gender, gender)}"
        for dataset, gender in check.broken_cells
    ]
    if figure.cells:
        everywhere = len(broken) == len(figure.cells)
        parts.append("it is missed in every cell" if everywhere else f"only {_list(broken)} miss")
    attackers = {QUANTITIES[quantity][1] for quantity in _quantities(check)} - {""}
    reasons = dict.fromkeys(
        f"the {display['attackers'].get(w.attacker, w.attacker)} attacker is weak ({w.reason})"
        for w in weaknesses
        if w.attacker in attackers and w.system in ("", check.system, check.against)
    )
    parts += reasons
    return "; ".join(parts) + "."


def _list(broken: Sequence[str]) -> str:
    return " and ".join(broken) if broken else "the mean, and no single cell,"


def _quantities(check: Check) -> tuple[str, ...]:
    return ("aa", "semi") if check.quantity == "drop" else (check.quantity,)


def _sides(check: Check, found: Figures, names: Mapping[str, str]) -> str:
    if check.quantity == "drop":
        aa, semi = found[check.system, "aa"], found[check.system, "semi"]
        return f"lazy-informed {_bracketed(aa)}, semi-informed {_bracketed(semi)}"
    own = _bracketed(found[check.system, check.quantity])
    if not check.against:
        return own
    other = found[check.against, check.quantity]
    return f"{own} against {_bracketed(other)} of {names.get(check.against, check.against)}"


def _bracketed(figure: Estimate) -> str:
    text = f"{figure.value:.1f}"
    exact = figure.low == figure.value == figure.high or abs(figure.value) == inf
    return text if exact else f"{text} [{figure.low:.1f}, {figure.high:.1f}]"


def _figures(found: Figures, names: Mapping[str, str]) -> list[str]:
    systems = dict.fromkeys([REFERENCE_SYSTEM, *names, *(system for system, _ in found)])
    body = [["system", *WORDS.values()]]
    for system in systems:
        cells = [found.get((system, quantity)) for quantity in WORDS]
        if any(cells):
            texts = [_bracketed(cell) if cell else "" for cell in cells]
            body.append([names.get(system, system), *texts])
    return markdown_lines(body)
