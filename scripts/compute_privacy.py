"""Compute every score metric of one attack on a dataset, gender by gender."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests, read_table, write_rows
from scripts.lib.metrics import NUMERIC_METRICS, bootstrap_intervals, eer_interval, score_metrics

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("compute_privacy")
REPLICATES = 1000
DEFINITIONS = {
    "eer": "Kaldi compute-eer without interpolation, a multiple of 1/targets (2020)",
    "eer_interpolated": "mean of FAR and FRR where they are closest (SpeechBrain, 2024)",
    "rocch_eer": "crossing of the convex hull of the ROC with FAR = FRR",
    "cllr": "raw scores taken as natural-log likelihood ratios, bits",
    "cllr_min": "after calibration by pool-adjacent-violators, bits",
    "d_ece": "ZEBRA population disclosure, bits",
    "worst_case": "ZEBRA worst-case disclosure, log10 of the likelihood ratio",
    "linkability": "D_sys with prior ratio 1",
    "min_dcf_001": "minimum detection cost at a target prior of 0.01",
    "min_dcf_0001": "minimum detection cost at a target prior of 0.001",
    "tpr_at_fpr_1": "accepted target trials where 1 % of nontarget trials are accepted",
    "tpr_at_fpr_01": "accepted target trials where 0.1 % of nontarget trials are accepted",
}


def metric_rows(scores: pd.DataFrame, speaker_of: Mapping[str, str]) -> Iterator[dict]:
    """Yield one row per metric of a scored trial list.

    Parameters
    ----------
    scores
        Columns enrol, test, target and score.
    speaker_of
        Speaker of each trial utterance.
    """
    target = scores["score"][scores["target"] == 1].to_numpy()
    nontarget = scores["score"][scores["target"] == 0].to_numpy()
    values = score_metrics(target, nontarget)
    intervals = bootstrap_intervals(
        scores["score"],
        scores["target"],
        scores["enrol"],
        scores["test"].map(speaker_of),
        replicates=REPLICATES,
        seed=0,
    )
    for metric in NUMERIC_METRICS:
        yield {
            "metric": metric,
            "value": values[metric],
            "low": intervals[metric].low,
            "high": intervals[metric].high,
            "targets": len(target),
            "nontargets": len(nontarget),
            "definition": DEFINITIONS[metric],
        }
    low, high = eer_interval(values["eer"], len(target), len(nontarget))
    logger.info("EER %.4f, Bengio-Mariethoz %.4f to %.4f", values["eer"], low, high)


def main(scores: Sequence[str], manifest: Sequence[str], metrics: str, ids: Mapping) -> None:
    """Read one score file per gender, write tidy rows.

    Trials of a dataset without audio, and so without a manifest, name their speakers themselves.
    """
    tables = {Path(path).stem: read_table(path) for path in scores}
    if manifest:
        named = read_manifests(manifest)
    else:
        named = pd.concat(tables.values()).rename(columns={"test": "utterance"})
    speaker_of = dict(zip(named["utterance"], named["speaker"], strict=True))
    rows = (
        {"gender": gender, **row}
        for gender, table in tables.items()
        for row in metric_rows(table, speaker_of)
    )
    write_rows(metrics, ids, rows)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            scores=snakemake.input.scores,
            manifest=snakemake.input.manifest,
            metrics=snakemake.output.metrics,
            ids=snakemake.params.ids,
        )
