"""Curves of the legal framework by population size, as tidy rows.

Every item is made of unit-length utterance vectors: their mean, scaled to unit length again.
"""

import logging
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from legal_eval import (
    average_embeddings,
    build_speaker_embeddings,
    build_test_embeddings,
    cosine_score_matrix,
    linkability_sweep,
)
from legal_eval.metrics import count_beaters
from legal_eval.sweeps import default_speaker_counts, geometric_speaker_counts

from scripts.lib.legal.chance import singling_out_floor
from scripts.lib.legal.eer_sweep import eer_sweep
from scripts.lib.legal.intervals import (
    linkability_interval,
    one_minus_eer_interval,
    singling_out_interval,
)
from scripts.lib.legal.sets import spoken_in
from scripts.lib.legal.singling_out import singling_out_sweep
from scripts.lib.manifest import named
from scripts.lib.seeding import rng_for

logger = logging.getLogger("legal_curves")
Vectors = Mapping[str, np.ndarray]
DEFINITIONS = {
    "singling_out": "share of draws in which exactly one test speaker scores above the threshold",
    "linkability": "probability that the own enrolment scores highest among those of N' speakers",
    "one_minus_eer": "1 - equal error rate at the convex hull of the ROC",
}


def unit_vectors(vectors: Vectors, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Return the vectors of some utterances, scaled to unit length.

    Examples
    --------
    >>> unit_vectors({"u": np.array([3.0, 4.0], dtype=np.float32)}, ["u"])["u"].round(6).tolist()
    [0.6, 0.8]
    """
    missing = [name for name in names if name not in vectors]
    if missing:
        raise ValueError(f"{named(missing)} without an embedding")
    zero = [name for name in names if not np.linalg.norm(vectors[name]) > 0]
    if zero:
        raise ValueError(f"{named(zero)} with an embedding of zero or undefined length")
    wide = {name: vectors[name].astype(np.float64) for name in names}
    return {name: vector / np.linalg.norm(vector) for name, vector in wide.items()}


def singling_out_rows(sets: pd.DataFrame, vectors: Vectors, config: Mapping) -> Iterator[dict]:
    """Yield the Singling Out curve of every conversation length.

    Parameters
    ----------
    sets
        Columns set, speaker and utterance. Set B enrols, set A is tested.
    vectors
        One embedding of shape (dim,) per utterance, of any length.
    config
        An entry of config/legal.
    """
    settings = config["singling_out"]
    tested, enrolled = spoken_in(sets, "a"), _enrolled(spoken_in(sets, "b"), config)
    units = unit_vectors(vectors, [name for names in tested.values() for name in names])
    enrolment = {
        speaker: average_embeddings(list(unit_vectors(vectors, names).values()))
        for speaker, names in enrolled.items()
    }
    for length in config["lengths"]:
        population = sum(len(names) >= 2 * length for names in tested.values())
        predicates = {s: v for s, v in enrolment.items() if len(tested[s]) >= 2 * length}
        if population < 2 or not predicates:
            logger.warning("L = %d: no curve, as it takes %d utterances", length, 2 * length)
            continue
        grid = settings["speakers"] or geometric_speaker_counts(population)
        sweep = singling_out_sweep(
            predicates,
            tested,
            units,
            length,
            speaker_counts=population_sizes(grid, population),
            n_runs=config["runs"],
            n_folds=settings["folds"],
            max_calibration=settings["calibration"],
            seed=config["seed"],
            vary_folds=settings["vary_folds"],
            calibration=settings["conversations"],
        )
        ranks = [calibration_rank(len(tested[s]), length, settings) for s in predicates]
        for count, values in sorted(sweep.values.items()):
            by_fold = np.reshape(values, (settings["folds"], -1))
            interval = singling_out_interval(sweep, count, seed=config["seed"])
            yield {
                "metric": "singling_out",
                "length": length,
                "speakers": count,
                "value": by_fold.mean(),
                "spread": by_fold.mean(axis=1).std(),
                "repeats": len(by_fold),
                "low": interval.low,
                "high": interval.high,
                "chance": math.exp(-1),
                "floor": mean_floor(ranks, count),
                "enrolled": len(predicates),
                "tested": population,
                "definition": DEFINITIONS["singling_out"],
            }


def linkability_rows(sets: pd.DataFrame, vectors: Vectors, config: Mapping) -> Iterator[dict]:
    """Yield the curves of Linkability and of 1 - EER of every conversation length.

    Parameters
    ----------
    sets
        Columns set, speaker and utterance. Set A enrols with all it has, set B is tested.
    vectors, config
        As for `singling_out_rows`.
    """
    enrolled, tested = spoken_in(sets, "a"), spoken_in(sets, "b")
    units = unit_vectors(vectors, list(sets["utterance"]))
    models = build_speaker_embeddings(enrolled, units)
    seed, runs = config["seed"], config["runs"]
    for length in config["lengths"]:
        long_enough = {s: names for s, names in tested.items() if len(names) >= length}
        if not long_enough:
            logger.warning("L = %d: no curve, nobody has as many utterances in set B", length)
            continue
        rng = rng_for(seed, "items of set B", length)
        items, _ = build_test_embeddings(long_enough, units, length, config["selection"], rng)
        matrix = cosine_score_matrix(models, items)
        place = {"enrolled": len(models), "tested": len(items), "length": length}
        grid = config["linkability"]["speakers"] or default_speaker_counts(len(models))
        counts = population_sizes(grid, len(models))
        exact, drawn = (
            linkability_sweep(matrix, counts, runs, seed, length, estimator=estimator)
            for estimator in ("exact", "sampling")
        )
        chosen = exact if config["linkability"]["estimator"] == "exact" else drawn
        beaters = count_beaters(matrix)
        for count in counts:
            interval = linkability_interval(
                beaters, matrix.test_speakers, len(models), count, seed=seed
            )
            yield place | {
                "metric": "linkability",
                "speakers": count,
                # The package's logarithms of factorials round certain success up by some 1e-15.
                "value": min(1.0, chosen.mean()[count]),
                "spread": drawn.std()[count],
                "repeats": runs,
                "low": interval.low,
                "high": interval.high,
                "chance": 1 / count,
                "definition": DEFINITIONS["linkability"],
            }
        grid = config["eer"]["speakers"] or geometric_speaker_counts(len(models))
        counts = population_sizes(grid, len(models))
        most = config["eer"]["nontargets"]
        sweep = eer_sweep(matrix, counts, runs, seed, length, most)
        for count in counts:
            interval = one_minus_eer_interval(
                matrix, count, seed=seed, draw_seed=seed, max_nontarget_per_speaker=most
            )
            yield place | {
                "metric": "one_minus_eer",
                "speakers": count,
                "value": 1 - sweep.mean()[count],
                "spread": sweep.std()[count],
                "repeats": runs,
                "low": interval.low,
                "high": interval.high,
                "chance": 0.5,
                "definition": DEFINITIONS["one_minus_eer"],
            }


def population_sizes(grid: Sequence[int], population: int) -> list[int]:
    """Return the sizes of a grid that a population allows, and the population itself.

    Examples
    --------
    >>> population_sizes([10, 100, 1000], 250)
    [10, 100, 250]
    """
    return sorted({count for count in grid if 2 <= count <= population} | {population})


def calibration_rank(utterances: int, length: int, settings: Mapping) -> int:
    """Return how many calibration conversations a speaker's utterances give.

    Examples
    --------
    >>> settings = {"calibration": 9, "conversations": "disjoint"}
    >>> calibration_rank(12, 3, settings)
    3
    >>> calibration_rank(12, 3, {**settings, "conversations": "overlapping"})
    9
    """
    rest = utterances - length
    overlapping = settings["conversations"] == "overlapping"
    possible = math.comb(rest, length) if overlapping else rest // length
    return min(settings["calibration"], possible)


def mean_floor(ranks: Sequence[int], speakers: int) -> float:
    """Return the chance of Singling Out with finite calibration, averaged over enrolled speakers.

    Parameters
    ----------
    ranks
        Calibration conversations of each enrolled speaker.
    speakers
        Population size.
    """
    counts = Counter(ranks)
    total = sum(singling_out_floor(rank, speakers) * times for rank, times in counts.items())
    return total / len(ranks)


def _enrolled(spoken: Mapping[str, Sequence[str]], config: Mapping) -> dict[str, list[str]]:
    """Draw the speakers of set B who are enrolled, and the utterances that enrol them."""
    settings, seed = config["singling_out"], config["seed"]
    count = settings["enrolment_utterances"]
    able = [speaker for speaker, names in spoken.items() if len(names) >= count]
    if not able:
        raise ValueError(
            f"set B: no speaker has {count} utterances; "
            "lower singling_out.enrolment_utterances of the legal entry"
        )
    size = min(settings["enrolled_speakers"], len(able))
    if size < settings["enrolled_speakers"]:
        logger.info("%d speakers are enrolled: set B has no more", size)
    chosen = rng_for(seed, "enrolled").choice(len(able), size, replace=False)
    enrolled = {}
    for speaker in sorted(able[place] for place in chosen):
        names = list(spoken[speaker])
        if config["selection"] == "random":
            drawn = rng_for(seed, "enrolment", speaker).choice(len(names), count, replace=False)
            names = [names[place] for place in sorted(drawn)]
        enrolled[speaker] = names[:count]
    return enrolled
