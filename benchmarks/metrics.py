"""Time the metric library, also as ratios to audmetric and to a plain-Python PAV.

Run from the repository's root:

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.metrics
    OPENBLAS_NUM_THREADS=1 python -m benchmarks.metrics coverage

Every time is the CPU time of the best of several runs. With `coverage`, lists of known truth are
simulated instead, to count how often intervals hold it and how often equal systems seem to differ.
"""

import os
import platform
import resource
import sys
import time
from collections.abc import Callable

import audmetric
import numpy as np

from scripts.lib.metrics import (
    bootstrap_intervals,
    cllr_min,
    compare_systems,
    eer,
    linkability,
    score_metrics,
    similarity_matrix,
)

# LibriSpeech test female of the challenge: the complete grid of 16 speakers and 734 utterances
ENROLLED, TESTED, UTTERANCES = 16, 20, 734
# simulated lists: how many, and the mean gap in score between the classes
LISTS, REPLICATES, GAPS = 150, 200, (0.3, 2.0, 5.0)
COVERED = ("eer", "rocch_eer", "cllr", "cllr_min", "d_ece", "linkability", "tpr_at_fpr_1")


def best_of(runs: int, call: Callable[[], object]) -> float:
    times = []
    for _ in range(runs):
        start = time.process_time()  # so that other programs on the machine count less
        call()
        times.append(time.process_time() - start)
    return min(times)


def challenge_list(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    speaker = np.sort(rng.integers(TESTED, size=UTTERANCES))
    enrol = np.repeat(np.arange(ENROLLED), UTTERANCES)
    trial = np.tile(speaker, ENROLLED)
    same = enrol == trial
    return rng.normal(size=same.size) + same, same, enrol, trial


def plain_pav(labels: list[int]) -> list[list[int]]:
    bins: list[list[int]] = []
    for label in labels:
        bins.append([label, 1])
        while len(bins) > 1 and bins[-2][0] * bins[-1][1] >= bins[-1][0] * bins[-2][1]:
            total, size = bins.pop()
            bins[-1][0] += total
            bins[-1][1] += size
    return bins


def plain_cllr_min(target: np.ndarray, nontarget: np.ndarray) -> float:
    labels = np.repeat([0, 1], [nontarget.size, target.size])
    order = np.argsort(np.concatenate([nontarget, target]), kind="stable")
    total, size = np.array(plain_pav(labels[order].tolist())).T
    with np.errstate(divide="ignore"):
        llr = np.log(total) - np.log(size - total) - np.log(target.size / nontarget.size)
    target_cost = np.where(total, np.logaddexp(0, -llr), 0) @ total / target.size
    other_cost = np.where(size > total, np.logaddexp(0, llr), 0) @ (size - total) / nontarget.size
    return float(target_cost + other_cost) / (2 * np.log(2))


def show(what: str, seconds: float, *ratios: tuple[str, float]) -> None:
    text = ", ".join(f"{other / seconds:,.0f} x faster than {name}" for name, other in ratios)
    print(f"{what:<62} {1e3 * seconds:10.2f} ms  {text}")


def report_list(name: str, target: np.ndarray, nontarget: np.ndarray, runs: int) -> None:
    truth = np.repeat([1, 0], [target.size, nontarget.size])
    score = np.concatenate([target, nontarget])
    assert abs(plain_cllr_min(target, nontarget) - cllr_min(target, nontarget)) < 1e-6
    show(f"all metrics, {name}", best_of(runs, lambda: score_metrics(target, nontarget)))
    theirs = best_of(2, lambda: audmetric.equal_error_rate(truth, score))
    ours = best_of(runs, lambda: eer(target, nontarget))
    show(f"EER, {name}", ours, ("audmetric", theirs))
    theirs = best_of(2, lambda: audmetric.linkability(truth, score))
    ours = best_of(runs, lambda: linkability(target, nontarget))
    show(f"linkability, {name}", ours, ("audmetric", theirs))
    theirs = best_of(2, lambda: plain_cllr_min(target, nontarget))
    ours = best_of(runs, lambda: cllr_min(target, nontarget))
    show(f"minimum C_llr, {name}", ours, ("a plain-Python PAV", theirs))


def report_similarity(rng: np.random.Generator) -> None:
    vectors = rng.normal(size=(5422, 32))
    speakers = np.sort(rng.integers(15, size=len(vectors))).astype(str).tolist()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = best_of(
        1, lambda: similarity_matrix(lambda start, stop: vectors[start:stop] @ vectors.T, speakers)
    )
    growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    show("similarity matrix, 5,422 segments, 14.7 million pairs", seconds)
    print(f"{'  peak memory above what was in use before':<62} {max(growth, 0):10.0f} MB")


def simulated_list(
    rng: np.random.Generator, gap: float, enrolled: int, tested: int, utterances: int
) -> tuple[np.ndarray, ...]:
    """Scores with effects of both speakers, of their pair, and of how easy a speaker is."""
    enrol = np.repeat(np.arange(enrolled), tested * utterances)
    trial = np.tile(np.repeat(np.arange(tested), utterances), enrolled)
    same = enrol == trial
    score = rng.normal(0, 0.5, enrolled)[enrol] + rng.normal(0, 0.5, tested)[trial]
    score += rng.normal(0, 0.5, (enrolled, tested))[enrol, trial] + rng.normal(size=enrol.size)
    return score + same * rng.normal(gap, 0.5, tested)[trial], same, enrol, trial


def report_coverage(gap: float) -> None:
    rng = np.random.default_rng(1)
    large = [simulated_list(rng, gap, 500, 500, 3) for _ in range(8)]
    values = [score_metrics(score[same], score[~same]) for score, same, _, _ in large]
    truth = {name: np.mean([value[name] for value in values]) for name in COVERED}
    hits = {(design, name): 0 for design in ("speaker", "product") for name in COVERED}
    alarms = dict.fromkeys(hits, 0)
    for seed in range(LISTS):
        score, same, enrol, trial = simulated_list(rng, gap, 15, 20, 35)
        systems = {"a": score, "b": simulated_list(rng, gap, 15, 20, 35)[0]}
        for design in ("speaker", "product"):
            options = {"seed": seed, "replicates": REPLICATES, "design": design}
            intervals = bootstrap_intervals(score, same, enrol, trial, **options)
            for name in COVERED:
                _, low, high = intervals[name]
                hits[design, name] += low <= truth[name] <= high
            for row in compare_systems(systems, same, enrol, trial, metrics=COVERED, **options):
                alarms[design, row.metric] += row.p_value < 0.05
    print(f"gap {gap}: coverage of 95 % intervals; equal systems found different at 5 %")
    for name in COVERED:
        counts = [
            f"{design} {hits[design, name] / LISTS:.2f} {alarms[design, name] / LISTS:.2f}"
            for design in ("speaker", "product")
        ]
        print(f"  {name:<14} truth {truth[name]:.3f}   {'   '.join(counts)}")


def main() -> None:
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        raise SystemExit("set OPENBLAS_NUM_THREADS=1, or threads hide the cost per core")
    rng = np.random.default_rng(0)
    print(f"python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores")
    report_similarity(rng)  # first, while the peak of memory is its own
    score, same, enrol, trial = challenge_list(rng)
    report_list("11.7 k trials", score[same], score[~same], runs=50)
    report_list("1.1 M trials", rng.normal(1, 1, 100_000), rng.normal(0, 1, 1_000_000), runs=3)
    for design in ("speaker", "product"):
        seconds = best_of(
            2, lambda d=design: bootstrap_intervals(score, same, enrol, trial, seed=0, design=d)
        )
        show(f"1,000 bootstrap replicates of all metrics, design {design}", seconds)


if __name__ == "__main__":
    if sys.argv[1:] == ["coverage"]:
        for mean_gap in GAPS:
            report_coverage(mean_gap)
    else:
        main()
