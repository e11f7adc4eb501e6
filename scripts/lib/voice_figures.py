"""Figures of chosen voices, before anything is spoken: how unlike they are, and what they tell."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import ks_2samp
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from scripts.lib.embeddings import stack_embeddings
from scripts.lib.layers import Layers, rebuild
from scripts.lib.manifest import ENROLMENT
from scripts.lib.speaker_probe import STEPS, probe_speakers
from scripts.lib.voice_table import VoiceTable
from scripts.lib.voices.exponential import angular_distances, probabilities
from scripts.lib.voices.vectors import cosines

FOLDS = 5
BOTH = ""
# What tells one voice from another, by the level of the system.
KEYS = {
    "utterance": ["utterance"],
    "speaker": ["subset", "speaker"],
    "global_speaker": ["speaker"],
    "constant": [],
}
Row = dict[str, str | float]


def spread_figures(
    table: VoiceTable, utterances: pd.DataFrame, pool: pd.DataFrame, means: np.ndarray, level: str
) -> list[Row]:
    """Return how unlike voices are to each other, to the pool's speakers and to their sources.

    Parameters
    ----------
    table
        Voices of a dataset.
    utterances
        Its manifest.
    pool
        Column `gender` of the pool's speakers.
    means
        Their vectors, shape (speakers, dim).
    level
        What shares a voice.
    """
    chosen = utterances.assign(place=[table.utterances.index(u) for u in utterances["utterance"]])
    if KEYS[level]:
        chosen = chosen.drop_duplicates(KEYS[level])
    voices, sources = table.pseudo[chosen["place"]], table.source[chosen["place"]]
    rows = [
        row("voices", len(chosen)),
        row("distinct", len(np.unique(voices, axis=0))),
    ]
    own = _paired(voices, sources)
    for gender in sorted(set(chosen["gender"])):
        mine = (chosen["gender"] == gender).to_numpy()
        natural = _pairs(means[(pool["gender"] == gender).to_numpy()])
        rows += [
            row("source_cosine", own[mine].mean(), gender),
            row("source_cosine_highest", own[mine].max(), gender),
            row("pool_cosine", natural.mean(), gender),
            row("pool_median", np.median(natural), gender),
        ]
        if mine.sum() > 2:
            between = _pairs(voices[mine])
            test = ks_2samp(between, natural)
            rows += [
                row("voice_cosine", between.mean(), gender),
                row("ks", test.statistic, gender),
                row("ks_p", test.pvalue, gender),
            ]
    linked = _linked(table, utterances)
    return rows + ([row("linked_cosine", linked)] if linked is not None else [])


def privacy_excess(means: np.ndarray, genders: Sequence[str], step: Mapping) -> float:
    """Return by how much the exponential mechanism exceeds its bound; not above 0 if it keeps it.

    The largest of ln Pr(y | x) - ln Pr(y | x') - ε d(x, x') over all x, x' and y of the pool.

    Parameters
    ----------
    means, genders
        The pool's speakers.
    step
        `epsilon` and `gender` of the step.
    """
    kinds = [None] if step["gender"] == "any" else sorted(set(genders))
    worst = -np.inf
    for kind in kinds:
        own = means if kind is None else means[np.array(genders) == kind]
        logs = np.log([probabilities(vector, own, step["epsilon"]) for vector in own])
        allowed = step["epsilon"] * angular_distances(own, own)
        for place, mine in enumerate(logs):
            # Nothing is told of a pair of the same speaker.
            excess = (mine - logs).max(axis=1) - allowed[place]
            worst = max(worst, float(np.delete(excess, place).max()))
    return worst


def network_figures(
    layers: Layers, utterances: pd.DataFrame, vectors: Mapping[str, np.ndarray]
) -> list[Row]:
    """Return what fresh probes tell before and after a network, and how much it leaves.

    Parameters
    ----------
    layers
        The network.
    utterances
        Manifest of speakers that it has not heard.
    vectors
        Their raw embeddings by utterance.
    """
    before = stack_embeddings(vectors, utterances["utterance"]).astype(np.float64)
    after = rebuild(before, layers)
    rows = [
        row("rebuilt_cosine", _paired(after, before).mean()),
        row("spread", after.var(axis=0).sum() / before.var(axis=0).sum()),
    ]
    for when, points in (("before", before), ("after", after)):
        named = dict(zip(utterances["utterance"], points, strict=True))
        speakers = probe_speakers(named, utterances)
        rows += [
            row(f"speaker_{when}", speakers["accuracy"]),
            row(f"gender_{when}", probe_gender(points, utterances)),
        ]
    return [*rows, row("speaker_chance", speakers["chance"])]


def probe_gender(points: np.ndarray, utterances: pd.DataFrame) -> float:
    """Return how often a fresh probe tells the gender of speakers it has not learned from."""
    speakers = utterances["speaker"].to_numpy()
    folds = GroupKFold(min(FOLDS, len(set(speakers))))
    probe = make_pipeline(
        StandardScaler(), LogisticRegression(max_iter=STEPS, class_weight="balanced")
    )
    genders = utterances["gender"].to_numpy()
    found = cross_val_predict(probe, points, genders, groups=speakers, cv=folds)
    return float((found == genders).mean())


def row(quantity: str, value: float, gender: str = BOTH) -> Row:
    """Return a tidy row."""
    return {"quantity": quantity, "gender": gender, "value": float(value)}


def _linked(table: VoiceTable, utterances: pd.DataFrame) -> float | None:
    """Return the mean cosine of the voices that a speaker has in enrolment and in trials."""
    first = utterances.drop_duplicates(["subset", "speaker"])
    voices = {
        (r.subset == ENROLMENT, r.speaker): table[r.utterance].anon for r in first.itertuples()
    }
    both = [name for enrolled, name in voices if enrolled and (False, name) in voices]
    if not both:
        return None
    one, other = (np.stack([voices[side, name] for name in both]) for side in (True, False))
    return float(_paired(one, other).mean())


def _pairs(vectors: np.ndarray) -> np.ndarray:
    """Return the cosine of every pair of two rows."""
    return cosines(vectors, vectors)[np.triu_indices(len(vectors), 1)]


def _paired(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the cosine of each row and its counterpart."""
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return (one * other).sum(axis=1) / lengths
