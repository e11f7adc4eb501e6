"""Score speaker-verification trials from embeddings, as the attacker's model compares them."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scripts.lib.embeddings import load_embeddings, stack_embeddings
from scripts.lib.joblog import job_log
from scripts.lib.manifest import ENROLMENT, read_manifests, read_table, write_table
from scripts.lib.scoring import Scorer, load_scorer

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("score_trials")
Vectors = Mapping[str, np.ndarray]


def scored_trials(
    trials: pd.DataFrame, utterances: pd.DataFrame, enrol: Vectors, test: Vectors, scorer: Scorer
) -> pd.DataFrame:
    """Append a `score` column to a table of trials.

    Parameters
    ----------
    trials
        Columns `enrol` (speaker), `test` (utterance) and `target` (1 = same speaker).
    utterances
        Manifest with columns utterance, speaker and subset.
    enrol, test
        One embedding of shape (dim,) per utterance of the enrolment and of the trials.
    scorer
        Compares speakers and utterances.

    Examples
    --------
    >>> trials = pd.DataFrame({"enrol": ["s"], "test": ["t"], "target": [1]})
    >>> rows = {"utterance": ["a", "b"], "speaker": ["s", "s"], "subset": ["enrol", "enrol"]}
    >>> v = {"a": np.array([2.0, 0.0]), "b": np.array([0.0, 2.0]), "t": np.array([3.0, 3.0])}
    >>> scorer = load_scorer({"method": "cosine", "unit_enrolment": False}, [])
    >>> float(scored_trials(trials, pd.DataFrame(rows), v, v, scorer)["score"][0].round(12))
    1.0
    """
    enrolled = utterances[utterances["subset"] == ENROLMENT].groupby("speaker")["utterance"]
    groups = {speaker: stack_embeddings(enrol, names) for speaker, names in enrolled}
    names = sorted(set(trials["test"]))
    scores = scorer.score(
        scorer.enrol(list(groups.values())), scorer.probe(stack_embeddings(test, names))
    )
    rows = {speaker: number for number, speaker in enumerate(groups)}
    columns = {name: number for number, name in enumerate(names)}
    return trials.assign(score=scores[trials["enrol"].map(rows), trials["test"].map(columns)])


def main(
    enrol: Sequence[str],
    test: Sequence[str],
    manifest: str,
    trials: str,
    scores: str,
    scoring_files: Sequence[str],
    config: Mapping,
) -> None:
    """Read trials and embeddings, write the scored trials.

    Parameters
    ----------
    enrol, test
        Embeddings of the enrolment and of the trials, part by part.
    manifest, trials
        The dataset and the trials of one gender.
    scores
        File to write.
    scoring_files
        Files that the method of scoring needs.
    config
        Key `scoring` of an entry of config/asv.
    """
    scored = scored_trials(
        read_table(trials),
        read_manifests([manifest]),
        load_embeddings(enrol),
        load_embeddings(test),
        load_scorer(config, scoring_files),
    )
    write_table(scores, scored)
    logger.info("%d trials, %d target", len(scored), scored["target"].sum())


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            enrol=snakemake.input.enrol,
            test=snakemake.input.test,
            manifest=snakemake.input.manifest,
            trials=snakemake.input.trials,
            scores=snakemake.output.scores,
            scoring_files=snakemake.input.scoring_files,
            config=snakemake.params.config,
        )
