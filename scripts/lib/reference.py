"""What every result is compared with, which model a metric comes from, and what a figure reads."""

REFERENCE_SYSTEM = "orig"
REFERENCE_ATTACKER = "original"
# Every other metric is computed from the trial scores of a speaker verification model.
MODEL_OF_METRIC = {"wer": "asr", "uar": "ser", "uar_fold": "ser"}
# Computed from voice similarity matrices: they compare a system with original speech.
SIMILARITY_METRICS = ("g_vd", "de_id")
# Every other form of figure is drawn from metric rows.
FILES_OF_FORM = {
    "ece_profiles": "scores",
    "score_densities": "scores",
    "similarity_matrices": "similarity",
}


def has_attacker(metric: str) -> bool:
    """Return whether a metric depends on an attacker.

    Examples
    --------
    >>> [has_attacker(metric) for metric in ("eer", "wer", "g_vd")]
    [True, False, False]
    """
    return metric not in MODEL_OF_METRIC and metric not in SIMILARITY_METRICS
