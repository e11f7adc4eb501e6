"""ZEBRA: expected and worst-case disclosure of evidence about identity (vpc2020 7.5–7.7)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr, expit, log_expit

from scripts.lib.metrics.pav import PavBlocks, laplace_extremes, pav_blocks
from scripts.lib.metrics.ranking import Ranking, rank_scores

# Upper ends of the intervals (lower, upper] of log10 l, as in the reference code; the paper's
# table closes the other end, which differs only for a value that is exactly a whole number.
TAGS = (
    (float(np.finfo(float).eps), "0"),
    (1.0, "A"),
    (2.0, "B"),
    (4.0, "C"),
    (5.0, "D"),
    (6.0, "E"),
    (np.inf, "F"),
)


class Zebra(NamedTuple):
    """Population metric in bits, worst-case log10 likelihood ratio, and its category."""

    d_ece: float
    worst_case: float
    tag: str


class EceProfile(NamedTuple):
    """Empirical cross-entropy in bits over prior log odds, and the curve without evidence."""

    logit_prior: np.ndarray
    ece: np.ndarray
    zero_evidence: np.ndarray


def zebra(target: ArrayLike, nontarget: ArrayLike) -> Zebra:
    """Return ZEBRA's disclosure metrics.

    `d_ece` is the area between the zero-evidence and the calibrated ECE curve over the prior, from
    0 to 1/(2 ln 2); `worst_case` is the largest |log10 LR| of any trial under Laplace's rule.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Examples
    --------
    >>> d_ece, worst_case, tag = zebra([1.0, 3.0], [0.0, 2.0])
    >>> round(d_ece, 4), round(worst_case, 4), tag
    (0.3607, 0.301, 'A')
    """
    return zebra_of(rank_scores(target, nontarget))


def zebra_of(ranking: Ranking, blocks: PavBlocks | None = None) -> Zebra:
    """Return the disclosure metrics of a weighted list.

    Parameters
    ----------
    ranking
        The sorted list.
    blocks
        Its pooled blocks with targets first among ties, if already known.
    """
    blocks = pav_blocks(ranking, "target_first") if blocks is None else blocks
    lowest, highest = laplace_extremes(ranking)
    worst_case = max(abs(lowest), abs(highest)) / np.log(10)
    return Zebra(d_ece_of(blocks), float(worst_case), tag_of(worst_case))


def d_ece_of(blocks: PavBlocks) -> float:
    """Return the population metric D_ECE of pooled blocks, in bits."""
    target, nontarget = blocks.target > 0, blocks.nontarget > 0
    total = blocks.target[target] @ _disclosure(blocks.llr_target[target]) / blocks.target.sum()
    total += (
        blocks.nontarget[nontarget]
        @ _disclosure(-blocks.llr_nontarget[nontarget])
        / blocks.nontarget.sum()
    )
    # the ramp can push an area of nearly zero below it, by less than 3e-7
    return max(float(total / np.log(2)), 0.0)


def tag_of(worst_case: float) -> str:
    """Return the ZEBRA category of a worst-case log10 likelihood ratio.

    Examples
    --------
    >>> [tag_of(x) for x in (0.0, 0.5, 1.0, 1.01, 4.055, 7.0)]
    ['0', 'A', 'A', 'B', 'D', 'F']
    """
    return next(tag for upper, tag in TAGS if worst_case <= upper)


def ece_profile(
    target: ArrayLike, nontarget: ArrayLike, logit_prior: ArrayLike | None = None
) -> EceProfile:
    """Return the ECE of calibrated scores over prior log odds.

    ECE(π) = [π·mean over targets of −ln σ(a+λ) + (1−π)·mean over non-targets of −ln σ(−b−λ)]/ln 2,
    λ = logit π and a, b the calibrated LLRs.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).
    logit_prior
        Values of λ; 201 points from −10 to 10 when left out.

    Examples
    --------
    >>> profile = ece_profile([1.0, 3.0], [0.0, 2.0], [0.0])
    >>> profile.ece.round(4).tolist(), profile.zero_evidence.tolist()
    ([0.5], [1.0])
    """
    odds = np.linspace(-10, 10, 201) if logit_prior is None else np.asarray(logit_prior, float)
    blocks = pav_blocks(rank_scores(target, nontarget), "target_first")
    prior = expit(odds)
    ece = prior * _mean_surprise(blocks.llr_target, blocks.target, odds)
    ece += expit(-odds) * _mean_surprise(-blocks.llr_nontarget, blocks.nontarget, -odds)
    zero_evidence = (entr(prior) + entr(expit(-odds))) / np.log(2)
    return EceProfile(odds, ece / np.log(2), zero_evidence)


def _mean_surprise(llr: np.ndarray, count: np.ndarray, odds: np.ndarray) -> np.ndarray:
    """Mean over trials of −ln σ(llr + odds), per value of `odds`."""
    kept = count > 0
    return -log_expit(llr[kept] + odds[:, None]) @ count[kept] / count.sum()


def _disclosure(llr: np.ndarray) -> np.ndarray:
    """Z(x) = ¼ + (x − (eˣ−1)) / (2(eˣ−1)²), zero for |x| ≤ 1e-6 as in the reference."""
    x = np.minimum(llr, 50.0)  # Z is ¼ to all digits beyond
    small = np.abs(x) < 1e-3
    # near zero the formula cancels: use its series, whose next term is below 1e-18
    series = x / 6 - x**2 / 24 + x**3 / 360 + x**4 / 1440
    odds = np.expm1(np.where(small, 1.0, x))
    exact = 0.25 + (x / odds - 1) / (2 * odds)
    return np.where(np.abs(x) <= 1e-6, 0.0, np.where(small, series, exact))
