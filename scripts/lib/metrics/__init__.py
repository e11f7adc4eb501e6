"""Privacy metrics of speaker-verification scores: arrays in, numbers out, numpy and scipy only."""

from scripts.lib.metrics.bootstrap import MetricInterval, bootstrap_intervals
from scripts.lib.metrics.cllr import cllr, cllr_min
from scripts.lib.metrics.compare import Comparison, compare_systems, holm
from scripts.lib.metrics.eer import eer
from scripts.lib.metrics.eer_interpolated import eer_interpolated
from scripts.lib.metrics.eer_interval import Interval, eer_interval
from scripts.lib.metrics.identification import rank_k_accuracy, rank_k_accuracy_of_trials
from scripts.lib.metrics.linkability import linkability, local_linkability
from scripts.lib.metrics.min_dcf import min_dcf
from scripts.lib.metrics.pav import pav_llr
from scripts.lib.metrics.rocch_eer import rocch_eer
from scripts.lib.metrics.score_metrics import NUMERIC_METRICS, score_metrics
from scripts.lib.metrics.similarity import d_diag, de_id, full_matrix, g_vd, similarity_matrix
from scripts.lib.metrics.similarity_interval import similarity_intervals
from scripts.lib.metrics.tpr_at_fpr import tpr_at_fpr
from scripts.lib.metrics.zebra import ece_profile, zebra

__all__ = [
    "NUMERIC_METRICS",
    "Comparison",
    "Interval",
    "MetricInterval",
    "bootstrap_intervals",
    "cllr",
    "cllr_min",
    "compare_systems",
    "d_diag",
    "de_id",
    "ece_profile",
    "eer",
    "eer_interpolated",
    "eer_interval",
    "full_matrix",
    "g_vd",
    "holm",
    "linkability",
    "local_linkability",
    "min_dcf",
    "pav_llr",
    "rank_k_accuracy",
    "rank_k_accuracy_of_trials",
    "rocch_eer",
    "score_metrics",
    "similarity_intervals",
    "similarity_matrix",
    "tpr_at_fpr",
    "zebra",
]
