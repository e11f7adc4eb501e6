"""Equal error rate as the VoicePrivacy 2020 challenge printed it (vpc2020 section 7.1)."""

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.ranking import Ranking, rank_scores


def eer(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Return the challenge's equal error rate, always a multiple of 1/T.

    With both classes ascending, it is p/T for the first p whose target lies above the non-target
    at rank N − 1 − ⌊N·p/T⌋, and (T − 1)/T if none does. Scores count as float32. Nothing is
    interpolated, so a list with a single target has EER 0 whatever its score.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Examples
    --------
    >>> eer([0.9, 0.8, 0.3, 0.1], [0.7, 0.2, 0.1, 0.05])
    0.25
    """
    return eer_of(rank_scores(target, nontarget))


def eer_of(ranking: Ranking) -> float:
    """Return the challenge's equal error rate of a weighted list."""
    total, others = ranking.n_target, ranking.n_nontarget
    below = ranking.nontarget_cumulative[ranking.scores.single.below]
    # Target p lies above the non-target at rank q when more than q of them are below it. The test
    # can only turn true as p grows, so that each distinct target is asked about its last copy.
    last = ranking.target_cumulative[1:] - 1
    above = (below >= others - others * last // total) & (ranking.weight > 0)
    first = int(above.argmax())
    if not above[first]:
        return (total - 1) / total
    copies = np.arange(ranking.target_cumulative[first], ranking.target_cumulative[first + 1])
    p = copies[(below[first] >= others - others * copies // total).argmax()]
    return min(int(p), total - 1) / total
