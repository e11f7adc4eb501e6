"""Equal error rate by the rule of VoicePrivacy 2024 (SpeechBrain's, vpc2024 section 5.3)."""

import numpy as np
from numpy.typing import ArrayLike

from scripts.lib.metrics.ranking import Ranking, rank_scores


def eer_interpolated(target: ArrayLike, nontarget: ArrayLike) -> float:
    """Return the mean of both error rates where they are closest.

    At a threshold θ, FRR is the share of targets ≤ θ and FAR that of non-targets > θ; θ runs over
    all distinct scores and the first minimum of |FAR − FRR| counts. Scores and rates are float32.
    The midpoints between neighbouring scores, which the original also tries, never change a rate.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Examples
    --------
    >>> round(eer_interpolated([0.9, 0.8, 0.3], [0.7, 0.2, 0.1, 0.05]), 7)
    0.2916667
    """
    return eer_interpolated_of(rank_scores(target, nontarget))


def eer_interpolated_of(ranking: Ranking) -> float:
    """Return the equal error rate of a weighted list by the rule of 2024."""
    scores, count = ranking.scores.single, ranking.nontarget_cumulative
    tied_targets = np.searchsorted(scores.target, scores.target, side="right")
    frr = _rate(ranking.target_cumulative[tied_targets], ranking.n_target)
    far = _rate(ranking.n_nontarget - count[scores.upto], ranking.n_nontarget)
    # FAR − FRR falls as θ rises, so the minimum lies between the last target where it is positive
    # and the first where it is not (one exists: FRR is 1 at the highest target).
    last = int((far <= frr).argmax())
    first = max(last - 1, 0)
    start, stop = (int(scores.upto[first]) if last else 0), int(scores.below[last])
    # thresholds at non-targets between these two targets, equal ones only once
    gap = scores.nontarget[start:stop]
    ends = start + 1 + np.flatnonzero(np.append(gap[1:] != gap[:-1], True)[: gap.size])
    far_gap = _rate(ranking.n_nontarget - count[ends], ranking.n_nontarget)
    frr_gap = np.full(ends.size, frr[first] if last else 0, dtype=np.float32)
    far = np.concatenate([far[first:last], far_gap, far[last : last + 1]])
    frr = np.concatenate([frr[first:last], frr_gap, frr[last : last + 1]])
    best = int(np.abs(far - frr).argmin())
    return (float(far[best]) + float(frr[best])) / 2


def _rate(count: np.ndarray, total: int) -> np.ndarray:
    return count.astype(np.float32) / np.float32(total)
