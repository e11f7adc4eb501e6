"""Time the sweeps of the legal framework and their memory, beside those of `legal_eval`.

Run from the repository's root:

    OPENBLAS_NUM_THREADS=1 python -m benchmarks.legal
    OPENBLAS_NUM_THREADS=1 python -m benchmarks.legal ours

Each case runs in a process of its own, so that its peak memory is its own. Its time leaves out the
making of random embeddings. `ours` leaves out the package, which takes minutes.
"""

import hashlib
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from legal_eval import sweeps
from legal_eval.scoring import cosine_score_matrix

from scripts.lib.legal.eer_sweep import EmbeddedTrials, eer_sweep
from scripts.lib.legal.singling_out import singling_out_sweep

# the paper's set A, its enrolled speakers, its set B
SPEAKERS, UTTERANCES, ENROLLED, TESTED, DIM = 22_024, 10, 495, 4_949, 192
COUNTS = (30, 400, 6_400, SPEAKERS)


def singling_out_input() -> tuple[dict, dict, dict]:
    rng = np.random.default_rng(0)
    names = [f"s{index:05d}" for index in range(SPEAKERS)]
    spk2utt = {name: [f"{name}-{place}" for place in range(UTTERANCES)] for name in names}
    vectors = {item: rng.normal(size=DIM) for items in spk2utt.values() for item in items}
    enrolled = {name: rng.normal(size=DIM) for name in names[:: SPEAKERS // ENROLLED][:ENROLLED]}
    return enrolled, spk2utt, vectors


def eer_input() -> tuple[dict, dict]:
    rng = np.random.default_rng(0)
    names = [f"s{index:05d}" for index in range(SPEAKERS)]
    enrolled = {name: rng.normal(size=DIM) for name in names}
    tested = {name: enrolled[name] + rng.normal(scale=4, size=DIM) for name in names[:TESTED]}
    return enrolled, tested


def memory_mb(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


def run_case(case: str) -> dict[str, object]:
    what, whose = case.split("/")
    if what == "singling_out":
        data = singling_out_input()
    else:
        data = eer_input()
        if what == "eer_matrix":
            data = (cosine_score_matrix(*data),)
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of making the input
    before = memory_mb("VmRSS")
    start, cpu = time.perf_counter(), time.process_time()
    if what == "singling_out":
        sweep = sweeps.singling_out_sweep if whose == "package" else singling_out_sweep
        result = sweep(*data, 1, COUNTS)
    elif whose == "package":
        matrix = data[0] if what == "eer_matrix" else cosine_score_matrix(*data)
        result = sweeps.eer_sweep(matrix, COUNTS)
    else:
        result = eer_sweep(data[0] if what == "eer_matrix" else EmbeddedTrials(*data), COUNTS)
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "input_mb": before,
        "peak_mb": memory_mb("VmHWM"),
        "values": {count: [round(value, 11) for value in result.values[count]] for count in COUNTS},
        "mean": {count: round(mean, 4) for count, mean in result.mean().items()},
    }


def report(case: str) -> dict[str, object]:
    command = [sys.executable, "-m", "benchmarks.legal", case]
    row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    digest = hashlib.sha256(json.dumps(row["values"]).encode()).hexdigest()[:12]
    print(
        f"{case:<24} {row['seconds']:8.2f} s wall {row['cpu']:8.2f} s CPU, peak "
        f"{row['peak_mb']:6.0f} MB ({row['input_mb']:.0f} before), values {digest}, "
        f"means {row['mean']}",
        flush=True,
    )
    return row


if __name__ == "__main__":
    if len(sys.argv) > 1 and "/" in sys.argv[1]:
        print(json.dumps(run_case(sys.argv[1])))
        sys.exit()
    print(f"Python {platform.python_version()}, numpy {np.__version__}, sizes {COUNTS}")
    for what in ("eer_embedded", "eer_matrix", "singling_out"):
        ours = report(f"{what}/ours")
        if sys.argv[1:] == ["ours"]:
            continue
        theirs = report(f"{what}/package")
        above = [row["peak_mb"] - row["input_mb"] for row in (ours, theirs)]
        print(
            f"{what}: {theirs['cpu'] / ours['cpu']:.1f} x faster (CPU), "
            f"{theirs['seconds'] / ours['seconds']:.1f} x (wall); memory "
            f"{ours['peak_mb'] / theirs['peak_mb']:.2f} of the package's, above the input "
            f"{above[0] / above[1]:.2f}; values equal: {ours['values'] == theirs['values']}",
            flush=True,
        )
