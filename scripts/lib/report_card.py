"""The report card of a study's attackers as Markdown."""

from collections.abc import Mapping

import pandas as pd

from scripts.lib.attackers import HIGHEST_ORIGINAL_EER, LOWEST_ACCURACY, Evidence, Rate, Weakness
from scripts.lib.markup import markdown_lines
from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM
from scripts.lib.tables import GENDERS

RULES = (
    "An attacker is too weak to support a privacy claim if its model of original speech may have "
    f"an EER above {100 * HIGHEST_ORIGINAL_EER:.0f} % on original speech (upper end of the 95 % "
    f"interval, same trials) or a validation accuracy below {100 * LOWEST_ACCURACY:.0f} %, if its "
    f"model of anonymized speech has a training accuracy below {100 * LOWEST_ACCURACY:.0f} %, or "
    "if it does worse than the next weaker attacker beyond both intervals."
)


def report_card(config: Mapping, evidence: Evidence) -> str:
    """Return models, EERs with the order of attackers, and warnings.

    Parameters
    ----------
    config
        Title of the study, and the `display` settings.
    evidence
        What is known about the attackers.
    """
    weaknesses = evidence.weaknesses()
    lines = [f"# Attackers of the study: {config['title']}", "", RULES, "", "## Warnings", ""]
    lines += warning_lines(config["display"], weaknesses) or ["None."]
    if evidence.curves:
        lines += ["", "## Models", "", *_models(config["display"], evidence)]
    if evidence.rates:
        lines += ["", "## EER in percent, 95 % intervals in brackets", ""]
        lines += _rates(config["display"], evidence, weaknesses)
    return "\n".join(lines) + "\n"


def warning_lines(display: Mapping, weaknesses: list[Weakness]) -> list[str]:
    """Return one line per reason, with all that it concerns."""
    lines = []
    for weakness in weaknesses:
        attacker = display["attackers"].get(weakness.attacker, weakness.attacker)
        parts = [
            display["systems"].get(weakness.system, weakness.system),
            display["datasets"].get(weakness.dataset, weakness.dataset),
            GENDERS.get(weakness.gender, weakness.gender),
        ]
        where = ", ".join(filter(None, parts)) or "all results"
        lines.append(f"- **{attacker}** ({where}): {weakness.reason}.")
    return lines


def _models(display: Mapping, evidence: Evidence) -> list[str]:
    head = ["trained on", "seed", "epochs", "training loss", "training accuracy, %"]
    body = [[*head, "validation loss", "validation accuracy, %"]]
    for ids, curve in evidence.curves:
        last = curve.iloc[-1]
        body.append(
            [
                display["systems"].get(ids["trained_on"], ids["trained_on"]),
                str(ids["seed"]),
                str(len(curve)),
                f"{float(last['train_loss']):.3f}",
                f"{100 * float(last['train_accuracy']):.1f}",
                f"{float(last['valid_loss']):.3f}",
                f"{100 * float(last['valid_accuracy']):.1f}",
            ]
        )
    return markdown_lines(body)


def _rates(display: Mapping, evidence: Evidence, weaknesses: list[Weakness]) -> list[str]:
    names = [REFERENCE_ATTACKER, *evidence.attackers]
    names = [name for name in names if any(key[0] == name for key in evidence.rates)]
    cells = {key[1:]: None for key in evidence.rates if key[1] != REFERENCE_SYSTEM}
    labels = [display["attackers"].get(name, name) for name in names]
    body = [["system", "dataset", "gender", *labels, "order kept"]]
    spread = max(rate.spread for rate in evidence.rates.values())
    for system, dataset, gender in cells:
        row = [
            display["systems"].get(system, system),
            display["datasets"].get(dataset, dataset),
            GENDERS.get(gender, gender),
        ]
        for name in names:
            source = REFERENCE_SYSTEM if name == REFERENCE_ATTACKER else system
            row.append(_rate(evidence.rates.get((name, source, dataset, gender))))
        broken = [w for w in weaknesses if w[1:4] == (system, dataset, gender)]
        body.append([*row, f"no: {broken[0].attacker.replace('_', '-')}" if broken else "yes"])
    lines = markdown_lines(body)
    if spread:
        lines += [
            "",
            f"Largest standard deviation between seeds: {100 * spread:.2f} points of EER.",
        ]
    return lines


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return ""
    text = f"{100 * rate.value:.2f}"
    if not pd.isna(rate.low):
        text += f" [{100 * rate.low:.2f}, {100 * rate.high:.2f}]"
    return f"{text}, ±{100 * rate.spread:.2f} over {rate.seeds} seeds" if rate.seeds > 1 else text
