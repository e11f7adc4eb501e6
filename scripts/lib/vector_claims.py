"""What a study's chosen voices should be like by the steps that choose them (systems.md 4 and 8.5).

Claims follow from steps, not from names of systems; one is about two networks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd

# Sampled voices keep the distribution of the pool to this.
SAME_MEAN, SAME_KS = 0.10, 0.5
SIGNIFICANT = 0.01
PARALLEL, SAME = 0.95, 1 - 1e-6
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


@dataclass(frozen=True)
class Claim:
    """Something expected of systems, what was found, and why it may fail.

    Parameters
    ----------
    systems
        Names.
    text, found
        What is expected, and the figures.
    holds
        Whether they agree; none if the data cannot tell.
    why
        A possible reason if they do not.
    """

    systems: tuple[str, ...]
    text: str
    found: str
    holds: bool | None
    why: str = ""

    @property
    def verdict(self) -> str:
        """Return what the numbers say, in words."""
        if self.holds is None:
            return "these data cannot tell"
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

    def genders(self, system: str, *quantities: str) -> dict[str, tuple[float, ...]]:
        """Return some figures by gender, of each that has all of them."""
        found = {
            gender: tuple(self.value(system, name, gender) for name in quantities)
            for gender in "fm"
        }
        return {gender: values for gender, values in found.items() if None not in values}

    def mean(self, system: str, quantity: str) -> float | None:
        """Return the mean of a figure over genders."""
        found = [values[0] for values in self.genders(system, quantity).values()]
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
    users: dict[str, list[str]] = {}
    for name, steps in systems.items():
        for step in steps:
            if step["step"] == "autoencoder":
                users.setdefault(step["autoencoder"], []).append(name)
    for names in users.values():
        found += _forgotten(tuple(names), figures)
    if WEAK_NETWORK in systems and STRONG_NETWORK in systems:
        found.append(_of_two_networks(figures))
    return found


def _of_system(system: str, steps: Sequence[Mapping], figures: Figures) -> Iterator[Claim]:
    kinds = [step["step"] for step in steps]
    if kinds == ["pool"]:
        yield _contracted(system, figures)
    if kinds == ["gmm_pca"]:
        yield _sampled(system, figures)
        if "tau" in steps[0]:
            yield _limited(system, figures)
    if "exponential" in kinds:
        yield _bounded(system, figures, steps[kinds.index("exponential")]["epsilon"])
    if kinds == ["regress"] or (kinds == ["svd"] and steps[0]["mode"] == "pool_basis"):
        yield _unlike(system, figures)
    if kinds == ["svd"] and steps[0]["mode"] == "own_utterances":
        yield _like(system, figures, "voices stay nearly those of their speakers", PARALLEL)
    if kinds == ["identity"]:
        yield _like(system, figures, "voices are those of their speakers", SAME)


def _contracted(system: str, figures: Figures) -> Claim:
    found = figures.genders(system, "voice_cosine", "pool_cosine", "ks", "ks_p")
    closer = all(voice > pool for voice, pool, *_ in found.values())
    certain = all(p < SIGNIFICANT for *_, p in found.values())
    return Claim(
        (system,),
        "averaged voices are more alike than the pool's speakers",
        _by_gender(
            {g: f"{v:.2f} against {p:.2f}, KS {ks:.2f}" for g, (v, p, ks, _) in found.items()}
        ),
        # Few voices may be closer by chance.
        None if closer and not certain else closer,
        "voices are averages of fewer speakers, or of less alike ones, than in 2020",
    )


def _sampled(system: str, figures: Figures) -> Claim:
    found = figures.genders(system, "voice_cosine", "pool_cosine", "ks")
    return Claim(
        (system,),
        f"voices are as unlike as the pool's speakers: within {SAME_MEAN}, KS below {SAME_KS}",
        _by_gender({g: f"{v:.2f} against {p:.2f}, KS {ks:.2f}" for g, (v, p, ks) in found.items()}),
        all(abs(voice - pool) <= SAME_MEAN and ks < SAME_KS for voice, pool, ks in found.values()),
        "components that are left out carry part of the differences",
    )


def _limited(system: str, figures: Figures) -> Claim:
    found = figures.genders(system, "source_cosine_highest", "pool_median")
    return Claim(
        (system,),
        "no voice is as like its speaker as two speakers of the pool are",
        _by_gender({g: f"highest {h:.2f} of {m:.2f}" for g, (h, m) in found.items()}),
        all(highest < median for highest, median in found.values()),
        "after `tries` draws the least alike is taken",
    )


def _bounded(system: str, figures: Figures, epsilon: float) -> Claim:
    excess = figures.value(system, "privacy_excess")
    return Claim(
        (system,),
        f"no pair of the pool's speakers breaks the bound of ε = {epsilon:g}",
        f"largest excess of a log-ratio {excess:.2g}",
        excess <= BOUND_TOLERANCE,
    )


def _unlike(system: str, figures: Figures) -> Claim:
    found = figures.genders(system, "source_cosine", "pool_median")
    return Claim(
        (system,),
        "voices are less like their speakers than two speakers of the pool are",
        _by_gender({g: f"{s:.2f} against {m:.2f}" for g, (s, m) in found.items()}),
        all(source < median for source, median in found.values()),
        "averages over many speakers are near the common mean, and so to everybody",
    )


def _like(system: str, figures: Figures, text: str, least: float) -> Claim:
    found = figures.genders(system, "source_cosine")
    return Claim(
        (system,),
        text,
        _by_gender({gender: f"cosine {source:.3f}" for gender, (source,) in found.items()}),
        all(source >= least for (source,) in found.values()),
    )


def _forgotten(systems: tuple[str, ...], figures: Figures) -> Iterator[Claim]:
    """Claims about a network: systems that share it have the same figures."""
    value = partial(figures.value, systems[0])
    before, after, chance = (value(f"speaker_{name}") for name in ("before", "after", "chance"))
    yield Claim(
        systems,
        f"a probe names at most {SPEAKER_SHARE:.0%} of the speakers that it named before",
        f"{before:.1%} before the network, {after:.1%} after, chance {chance:.1%}",
        after <= SPEAKER_SHARE * before,
        WHY_PROBE,
    )
    before, after = (value(f"gender_{name}") for name in ("before", "after"))
    yield Claim(
        systems,
        f"a probe tells fewer than {GENDER_AT_MOST:.0%} of the genders",
        f"{before:.1%} before the network, {after:.1%} after",
        # Too few speakers to learn the gender from: nothing to forget.
        after < GENDER_AT_MOST if before >= GENDER_AT_MOST else None,
        WHY_PROBE,
    )
    yield Claim(
        systems,
        f"vectors are rebuilt with a cosine above {REBUILT}",
        f"{value('rebuilt_cosine'):.2f}",
        value("rebuilt_cosine") > REBUILT,
        WHY_REBUILT,
    )


def _of_two_networks(figures: Figures) -> Claim:
    weak, strong = (figures.value(name, "spread") for name in (WEAK_NETWORK, STRONG_NETWORK))
    return Claim(
        (STRONG_NETWORK,),
        f"its network leaves at most {SPREAD_SHARE:.0%} of the variance that S1c1's leaves",
        f"{strong:.2%} against {weak:.2%} of the vectors' own",
        strong <= SPREAD_SHARE * weak,
        "`adversary.strength` and `weight_decay` of the two entries are too close",
    )


def _by_gender(texts: Mapping[str, str]) -> str:
    return "; ".join(f"{gender}: {text}" for gender, text in texts.items())
