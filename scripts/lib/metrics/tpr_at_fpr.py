"""Share of targets recognised at a fixed low rate of false alarms."""

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.ranking import Ranking, rank_scores


def tpr_at_fpr(target: ArrayLike, nontarget: ArrayLike, fpr: float = 0.01) -> float:
    """Return the largest true positive rate whose false positive rate is at most `fpr`.

    Nothing is interpolated: with N non-targets and fpr < 1/N, only thresholds above every
    non-target qualify. A target that ties with a non-target is accepted only along with it.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).
    fpr
        Rate of false positives that is tolerated.

    Examples
    --------
    >>> tpr_at_fpr([1.0, 2.0, 3.0, 4.0], [0.0, 2.5], fpr=0.01)
    0.5
    >>> tpr_at_fpr([1.0, 2.0, 3.0, 4.0], [0.0, 2.5], fpr=0.5)
    1.0
    """
    if not 0.0 <= fpr <= 1.0:
        raise ValueError(f"a false positive rate lies between 0 and 1, not at {fpr}")
    return tpr_at_fpr_of(rank_scores(target, nontarget), fpr)


def tpr_at_fpr_of(ranking: Ranking, fpr: float) -> float:
    """Return the true positive rate of a weighted list at a false positive rate."""
    # a rounding error in fpr·N must not lose a whole trial
    allowed = int(np.floor(fpr * ranking.n_nontarget * (1 + 1e-12)))
    rejected = np.searchsorted(ranking.below, ranking.n_nontarget - allowed, side="left")
    missed = ranking.target_cumulative[rejected]
    return float(ranking.n_target - missed) / ranking.n_target
