"""All score metrics of one trial list from one sort."""

from math import inf, log

from numpy.typing import ArrayLike

from scripts.lib.metrics.cllr import cllr_min_of, cllr_of
from scripts.lib.metrics.eer import eer_of
from scripts.lib.metrics.eer_interpolated import eer_interpolated_of
from scripts.lib.metrics.linkability import linkability_of
from scripts.lib.metrics.min_dcf import min_dcf_of
from scripts.lib.metrics.pav import pav_blocks
from scripts.lib.metrics.ranking import Ranking, rank_scores
from scripts.lib.metrics.rocch_eer import rocch_eer_of
from scripts.lib.metrics.tpr_at_fpr import tpr_at_fpr_of
from scripts.lib.metrics.zebra import zebra_of

METRIC_RANGES = {
    "eer": (0.0, 1.0),
    "eer_interpolated": (0.0, 1.0),
    "rocch_eer": (0.0, 0.5),
    "cllr": (0.0, inf),
    "cllr_min": (0.0, 1.0),
    "d_ece": (0.0, 1 / (2 * log(2))),
    "worst_case": (0.0, inf),
    "linkability": (0.0, 1.0),
    "min_dcf_001": (0.0, 1.0),
    "min_dcf_0001": (0.0, 1.0),
    "tpr_at_fpr_1": (0.0, 1.0),
    "tpr_at_fpr_01": (0.0, 1.0),
}
NUMERIC_METRICS = tuple(METRIC_RANGES)


def score_metrics(target: ArrayLike, nontarget: ArrayLike) -> dict[str, float | str]:
    """Return every score metric of a trial list.

    Parameters
    ----------
    target, nontarget
        Scores of same-speaker and of different-speaker trials, shapes (T,) and (N,).

    Returns
    -------
    dict
        `NUMERIC_METRICS` as fractions, bits or log10 units, and ZEBRA's `tag`. `min_dcf_001` and
        `min_dcf_0001` are at target priors 0.01 and 0.001, `tpr_at_fpr_1` and `tpr_at_fpr_01` at
        1 % and 0.1 % false positives.

    Examples
    --------
    >>> metrics = score_metrics([1.0, 3.0], [0.0, 2.0])
    >>> metrics["eer"], metrics["rocch_eer"], metrics["tag"]
    (0.5, 0.25, 'A')
    """
    return score_metrics_of(rank_scores(target, nontarget))


def score_metrics_of(ranking: Ranking) -> dict[str, float | str]:
    """Return every score metric of a weighted list."""
    apart = pav_blocks(ranking, "nontarget_first")
    tied = ranking.scores.has_cross_ties
    together = pav_blocks(ranking, "target_first") if tied else apart
    disclosure = zebra_of(ranking, together)
    return {
        "eer": eer_of(ranking),
        "eer_interpolated": eer_interpolated_of(ranking),
        "rocch_eer": rocch_eer_of(apart),
        "cllr": cllr_of(ranking),
        "cllr_min": cllr_min_of(apart),
        "d_ece": disclosure.d_ece,
        "worst_case": disclosure.worst_case,
        "tag": disclosure.tag,
        "linkability": linkability_of(ranking),
        "min_dcf_001": min_dcf_of(ranking, 0.01),
        "min_dcf_0001": min_dcf_of(ranking, 0.001),
        "tpr_at_fpr_1": tpr_at_fpr_of(ranking, 0.01),
        "tpr_at_fpr_01": tpr_at_fpr_of(ranking, 0.001),
    }
