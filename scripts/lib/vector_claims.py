"""What a study's chosen voices should be like by the steps that choose them (systems.md 4 and 8.5).

Claims follow from steps, not from names of systems; one is about two networks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import pandas as pd

from scripts.lib.markup import markdown_lines

# Sampled voices keep the distribution of the pool to this.
SAME_MEAN, SAME_KS = 0.10, 0.5
PARALLEL = 0.95
GENDER_AT_MOST = 0.75
SPEAKER_SHARE = 0.1
SPREAD_SHARE = 0.2
REBUILT = 0.5
# Rounding of logarithms.
BOUND_TOLERANCE = 1e-6
WEAK_NETWORK, STRONG_NETWORK = "s1c1", "s2c1"
WHY_REBUILT = (
    "vectors whose mean is near 0, as those of networks trained with margins, cannot be both "
    "rebuilt and forgotten"
)
WHY_PROBE = (
    "fresh probes also see what is left at the smallest amplitude, and the fewer speakers a "
    "network has learned from, the more it leaves of others"
)
INTRODUCTION = (
    "Vectors only: nothing has been spoken or judged by an attacker yet. Cosines between voices "
    "are of pairs within a gender, one voice per speaker and subset (or per speaker, or utterance, "
    "as the system's level says), beside those of the pool's speakers; KS is the two-sample "
    "Kolmogorov-Smirnov distance of the two. Pairs share voices, so its p-value is too small. "
    "Probes are logistic regressions, trained anew: the speaker's on half of each one's "
    "utterances, the gender's on other speakers than it judges."
)


@dataclass(frozen=True)
class Claim:
    """Something expected of a system, what was found, and why it may fail."""

    system: str
    text: str
    found: str
    holds: bool
    why: str = ""

    @property
    def verdict(self) -> str:
        """Return what the numbers say, in words."""
        return "as expected" if self.holds else "**not as expected**"


class Figures:
    """The figures of one dataset's voices, by system.

    Parameters
    ----------
    rows
        Columns system, quantity, gender and value.
    """

    def __init__(self, rows: pd.DataFrame):
        keys = zip(rows["system"], rows["quantity"], rows["gender"], strict=True)
        self._values = dict(zip(keys, map(float, rows["value"]), strict=True))

    def value(self, system: str, quantity: str, gender: str = "") -> float | None:
        """Return a figure, or nothing if there is none."""
        return self._values.get((system, quantity, gender))

    def genders(self, system: str, *quantities: str) -> list[tuple[float, ...]]:
        """Return some figures of each gender that has all of them."""
        found = [[self.value(system, name, gender) for name in quantities] for gender in "fm"]
        return [tuple(values) for values in found if None not in values]

    def mean(self, system: str, quantity: str) -> float | None:
        """Return the mean of a figure over genders."""
        found = [values[0] for values in self.genders(system, quantity)]
        return sum(found) / len(found) if found else None


def claims(systems: Mapping[str, Sequence[Mapping]], figures: Figures) -> list[Claim]:
    """Return everything that is expected of systems.

    Parameters
    ----------
    systems
        Name to steps.
    figures
        What was measured.
    """
    found = [claim for name, steps in systems.items() for claim in _of_system(name, steps, figures)]
    if WEAK_NETWORK in systems and STRONG_NETWORK in systems:
        found += _of_two_networks(figures)
    return found


def _of_system(system: str, steps: Sequence[Mapping], figures: Figures) -> Iterator[Claim]:
    kinds = [step["step"] for step in steps]
    if kinds == ["pool"]:
        yield from _contracted(system, figures)
    if kinds == ["gmm_pca"]:
        yield from _sampled(system, figures, limited="tau" in steps[0])
    if kinds == ["identity"]:
        yield from _source(system, figures, least=1 - 1e-6)
    if "exponential" in kinds:
        excess = figures.value(system, "privacy_excess")
        epsilon = steps[kinds.index("exponential")]["epsilon"]
        yield Claim(
            system,
            f"no pair of the pool's speakers breaks the bound of ε = {epsilon:g}",
            f"largest excess of a log-ratio {excess:.2g}",
            excess <= BOUND_TOLERANCE,
        )
    if kinds == ["regress"] or (kinds == ["svd"] and steps[0]["mode"] == "pool_basis"):
        yield from _unlike(system, figures)
    if kinds == ["svd"] and steps[0]["mode"] == "own_utterances":
        yield from _source(system, figures, least=PARALLEL)
    if "autoencoder" in kinds:
        yield from _forgotten(system, figures)


def _contracted(system: str, figures: Figures) -> Iterator[Claim]:
    for voice, pool, ks in figures.genders(system, "voice_cosine", "pool_cosine", "ks"):
        yield Claim(
            system,
            "averaged voices are more alike than the pool's speakers",
            f"{voice:.2f} against {pool:.2f}, KS {ks:.2f}",
            voice > pool and ks > SAME_KS,
        )


def _sampled(system: str, figures: Figures, *, limited: bool) -> Iterator[Claim]:
    for voice, pool, ks in figures.genders(system, "voice_cosine", "pool_cosine", "ks"):
        yield Claim(
            system,
            f"voices are as unlike as the pool's speakers: means within {SAME_MEAN}, "
            f"KS below {SAME_KS}",
            f"{voice:.2f} against {pool:.2f}, KS {ks:.2f}",
            abs(voice - pool) <= SAME_MEAN and ks < SAME_KS,
            "components that are left out carry part of the differences",
        )
    if limited:
        for highest, median in figures.genders(system, "source_cosine_highest", "pool_median"):
            yield Claim(
                system,
                "no voice is as like its speaker as two speakers of the pool are",
                f"highest {highest:.2f}, median of the pool {median:.2f}",
                highest < median,
                "after `tries` draws the least alike is taken",
            )


def _unlike(system: str, figures: Figures) -> Iterator[Claim]:
    for source, median in figures.genders(system, "source_cosine", "pool_median"):
        yield Claim(
            system,
            "voices are less like their speakers than two speakers of the pool are",
            f"{source:.2f} against a median of {median:.2f}",
            source < median,
            "averages over many speakers are near the common mean, and so to everybody",
        )


def _source(system: str, figures: Figures, least: float) -> Iterator[Claim]:
    for (source,) in figures.genders(system, "source_cosine"):
        text = "voices are their speakers'" if least > PARALLEL else "voices stay their speakers'"
        yield Claim(system, text, f"cosine {source:.3f}", source >= least)


def _forgotten(system: str, figures: Figures) -> Iterator[Claim]:
    before, after, chance = (
        figures.value(system, f"speaker_{name}") for name in ("before", "after", "chance")
    )
    yield Claim(
        system,
        f"a probe names at most {SPEAKER_SHARE:.0%} of the speakers that it named before",
        f"{before:.1%} before the network, {after:.1%} after, chance {chance:.1%}",
        after <= SPEAKER_SHARE * before,
        WHY_PROBE,
    )
    before, after = (figures.value(system, f"gender_{name}") for name in ("before", "after"))
    yield Claim(
        system,
        f"a probe tells fewer than {GENDER_AT_MOST:.0%} of the genders",
        f"{before:.1%} before the network, {after:.1%} after",
        after < GENDER_AT_MOST,
        WHY_PROBE,
    )
    rebuilt = figures.value(system, "rebuilt_cosine")
    yield Claim(
        system,
        f"vectors are rebuilt with a cosine above {REBUILT}",
        f"{rebuilt:.2f}",
        rebuilt > REBUILT,
        WHY_REBUILT,
    )


def _of_two_networks(figures: Figures) -> Iterator[Claim]:
    weak, strong = (figures.value(name, "spread") for name in (WEAK_NETWORK, STRONG_NETWORK))
    yield Claim(
        STRONG_NETWORK,
        f"its network leaves at most {SPREAD_SHARE:.0%} of the variance that that of "
        f"{WEAK_NETWORK} leaves",
        f"{strong:.2%} against {weak:.2%} of the vectors' own",
        strong <= SPREAD_SHARE * weak,
        "`adversary.strength` and `weight_decay` of the two entries are too close",
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
    lines = [f"# Vectors of the study: {title}", "", INTRODUCTION, ""]
    for dataset, own in systems.items():
        figures = Figures(rows[rows["dataset"] == dataset])
        found = claims(own, figures)
        kept = sum(claim.holds for claim in found)
        lines += [f"## {display['datasets'].get(dataset, dataset)}", ""]
        lines += [f"{kept} of {len(found)} figures are as expected.", ""]
        body = [["system", "expected", "found", "verdict"]]
        for claim in found:
            label = names.get(claim.system, claim.system)
            body.append([label, claim.text, claim.found, claim.verdict])
        lines += [*markdown_lines(body), ""] if found else []
        reasons = dict.fromkeys((c.system, c.why) for c in found if not c.holds and c.why)
        lines += [
            f"- {names.get(system, system)}: it may be that {why}." for system, why in reasons
        ]
        lines += [""] if reasons else []
        lines += [*_table(own, figures, names), ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(systems: Mapping[str, object], figures: Figures, names: Mapping) -> list[str]:
    head = ["system", "voices", "distinct", "between voices", "between pool speakers", "KS (p)"]
    body = [[*head, "to the source", "enrolment to trials"]]
    for system in systems:
        counts = [f"{figures.value(system, name):.0f}" for name in ("voices", "distinct")]
        tests = [f"{ks:.2f} ({p:.0e})" for ks, p in figures.genders(system, "ks", "ks_p")]
        cosines = [
            figures.mean(system, name) for name in ("voice_cosine", "pool_cosine", "source_cosine")
        ]
        printed = [_number(value) for value in (*cosines, figures.value(system, "linked_cosine"))]
        label = names.get(system, system)
        body.append([label, *counts, *printed[:2], ", ".join(tests), *printed[2:]])
    return markdown_lines(body)


def _number(value: float | None) -> str:
    return "" if value is None or abs(value) == inf else f"{value:.2f}"
