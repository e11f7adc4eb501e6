"""Confidence interval of an equal error rate from the numbers of trials (vpc2020 section 7.10)."""

from math import sqrt
from typing import NamedTuple

from scipy.special import ndtri


class Interval(NamedTuple):
    """Lower and upper end of a confidence interval."""

    low: float
    high: float


def eer_interval(rate: float, n_target: int, n_nontarget: int, level: float = 0.95) -> Interval:
    """Return the interval of Bengio and Mariéthoz (2004).

    Its half-width is z·√(e(1−e)/(4N) + e(1−e)/(4T)). It takes trials as independent, so it is too
    narrow when the same speakers recur; the speaker-clustered bootstrap is not.

    Parameters
    ----------
    rate
        Equal error rate e as a fraction.
    n_target, n_nontarget
        Numbers of trials T and N.
    level
        Coverage aimed at.

    Examples
    --------
    >>> low, high = eer_interval(0.3, 548, 11196)  # LibriSpeech test, female
    >>> round(100 * (high - 0.3), 2), round(100 * (0.3 - low), 2)
    (1.96, 1.96)
    """
    if not 0.0 <= rate <= 1.0:
        raise ValueError(f"an equal error rate is a fraction between 0 and 1, not {rate}")
    if n_target < 1 or n_nontarget < 1:
        raise ValueError(f"both classes need a trial: {n_target} target, {n_nontarget} nontarget")
    if not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level lies between 0 and 1, not at {level}")
    deviation = sqrt(rate * (1 - rate) * (1 / n_nontarget + 1 / n_target) / 4)
    half = float(ndtri((1 + level) / 2)) * deviation
    return Interval(rate - half, rate + half)
