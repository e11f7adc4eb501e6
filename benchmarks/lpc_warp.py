"""Measure the speed, the scaling and the memory of the McAdams systems (B2, D1).

Run from the repository with one BLAS thread, with a folder of 16 kHz recordings or none (then
pulses and noise through moving resonances stand in for speech):

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.lpc_warp [FOLDER]
"""

import multiprocessing
import os
import resource
import sys
import time
from pathlib import Path

import numpy as np

from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.systems import mcadams, poles
from tests.unit.systems.per_frame_reference import speech_like, warp_per_frame

VOICE = {"alpha": 0.8}
REFERENCE_S = 40
CORPUS_S = 240


def main(folder: str | None) -> None:
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        raise SystemExit("set OPENBLAS_NUM_THREADS=1, or threads hide the cost per core")
    corpus = load(folder)
    seconds = sum(map(len, corpus)) / RATE_HZ
    print(f"{len(corpus)} utterances, {seconds:.0f} s, load {os.getloadavg()[0]:.1f}")
    report_speed(corpus)
    report_scaling(corpus)
    report_memory(corpus)


def load(folder: str | None) -> list[np.ndarray]:
    if folder is None:
        return [speech_like(8.0, seed=seed) for seed in range(CORPUS_S // 8)]
    corpus, total = [], 0
    for path in sorted(Path(folder).rglob("*.flac")):
        corpus.append(read_audio(path))
        total += len(corpus[-1])
        if total > CORPUS_S * RATE_HZ:
            break
    return corpus


def report_speed(corpus: list[np.ndarray]) -> None:
    part = np.concatenate(corpus)[: REFERENCE_S * RATE_HZ]
    pieces = np.array_split(part, REFERENCE_S // 8)
    plain = best_cpu_s(lambda: [warp_per_frame(piece, 0.8) for piece in pieces], repeat=3)
    fast = best_cpu_s(lambda: [mcadams.process(piece, VOICE, {}) for piece in pieces], repeat=5)
    expected = np.concatenate([warp_per_frame(piece, 0.8) for piece in pieces])
    found = np.concatenate([mcadams.lpc_warp(piece, alpha=0.8) for piece in pieces])
    difference = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"per-frame reference: {REFERENCE_S / plain:.0f} x real time")
    print(f"mcadams.process:     {REFERENCE_S / fast:.0f} x real time")
    print(f"ratio: {plain / fast:.1f}, largest difference {difference:.1e} of the peak")
    whole = best_cpu_s(lambda: process_all(corpus), repeat=3)
    seconds = sum(map(len, corpus)) / RATE_HZ
    print(f"utterances as they are: {seconds / whole:.0f} x real time")
    print(f"frames left to eigenvalues: {eigenvalue_share(corpus):.1%}")


def report_scaling(corpus: list[np.ndarray]) -> None:
    """Run one, then two workers with the same corpus each; ideal is the same time for both."""
    walls, cpus = [], []
    with multiprocessing.Pool(1) as one, multiprocessing.Pool(2) as two:
        for pool, workers in ((one, 1), (two, 2)):
            pool.map(process_all, [corpus[:1]] * workers, chunksize=1)
        for attempt in range(1, 7):
            idle = wait_until_idle()
            single, double = timed(one, 1, corpus), timed(two, 2, corpus)
            walls.append(2 * single[0] / double[0])
            cpus.append(2 * single[1] / double[1])
            state = "idle" if idle else "busy"
            print(
                f"two processes, attempt {attempt}, machine {state}: {walls[-1]:.2f} x wall clock"
            )
    print(f"median: {np.median(walls):.2f} x by wall clock, {np.median(cpus):.2f} x by CPU time")


def timed(pool, workers: int, corpus: list[np.ndarray]) -> tuple[float, float]:
    start = time.perf_counter()
    spent = pool.map(process_all, [corpus] * workers, chunksize=1)
    return time.perf_counter() - start, float(np.mean(spent))


def wait_until_idle(patience_s: float = 60.0) -> bool:
    """Wait for a moment without other work; whatever runs beside takes a core from the second."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        before = cpu_ticks()
        time.sleep(0.4)
        idle, total = (after - then for after, then in zip(cpu_ticks(), before, strict=True))
        if idle > 0.93 * total:
            return True
    return False


def cpu_ticks() -> tuple[int, int]:
    """Return the idle and all clock ticks of the machine so far (Linux)."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    return ticks[3] + ticks[4], sum(ticks)


def report_memory(corpus: list[np.ndarray]) -> None:
    """Compare the peak memory of workers that handle few and many utterances."""
    for rounds in (1, 4, 16):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            peak = pool.apply(peak_memory_mb, (corpus[:8], rounds))
        print(f"peak memory after {8 * rounds} utterances: {peak:.0f} MB")


def process_all(corpus: list[np.ndarray]) -> float:
    start = time.process_time()
    for samples in corpus:
        mcadams.process(samples, VOICE, {})
    return time.process_time() - start


def peak_memory_mb(corpus: list[np.ndarray], rounds: int) -> float:
    for _ in range(rounds):
        process_all(corpus)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def best_cpu_s(work, repeat: int) -> float:
    # CPU time, because other work on the machine lengthens the wall clock.
    spent = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def eigenvalue_share(corpus: list[np.ndarray]) -> float:
    counts = []
    direct = poles._pairs_by_eigenvalues

    def counted(predictor):
        counts.append(predictor.shape[1])
        return direct(predictor)

    poles._pairs_by_eigenvalues = counted
    try:
        process_all(corpus)
    finally:
        poles._pairs_by_eigenvalues = direct
    return sum(counts) / sum((len(samples) - 320) // 160 + 1 for samples in corpus)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
