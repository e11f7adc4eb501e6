"""Measure how the anonymization stage scales from one worker slot to two.

Run from the repository's root, with the folder of prepared corpora, on an idle machine:

    python -m benchmarks.anonymization_scaling ../shared/corpora

The speech of three corpora, listed twice under other names, is cut into eight shards and
anonymized by B2 through the workflow, with `--cores 1` and `--cores 2` in turn. The best of
two runs counts.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LISTS = ("libri251/libri251_pool", "digits60/digits60_train", "an4/official_train")
COPIES, SHARDS, RUNS = 2, 8, 2
FILES = ("wav.scp", "utt2spk", "utt2dur")


def main(corpora: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hours = write_lists(Path(corpora).resolve(), folder / "corpora" / "speech")
        print(f"{hours:.2f} h of speech in {SHARDS} shards, load {os.getloadavg()[0]:.1f}")
        walls: dict[int, list[float]] = {1: [], 2: []}
        for number in range(RUNS):
            for cores, times in walls.items():
                times.append(run(folder, f"{number}_{cores}", cores))
    print(f"efficiency on two slots: {min(walls[1]) / (2 * min(walls[2])):.3f}")


def write_lists(corpora: Path, target: Path) -> float:
    target.mkdir(parents=True)
    hours = 0.0
    genders = set()
    lines: dict[str, list[str]] = {name: [] for name in FILES}
    for source in LISTS:
        rows = {n: (corpora / source / n).read_text().splitlines() for n in FILES}
        genders.update((corpora / source / "spk2gender").read_text().splitlines())
        hours += COPIES * sum(float(row.split()[1]) for row in rows["utt2dur"]) / 3600
        for copy in range(COPIES):
            for name in FILES:
                for row in rows[name]:
                    utterance, value = row.split(maxsplit=1)
                    place = corpora / value if name == "wav.scp" else value
                    lines[name].append(f"{utterance}-{copy} {place}\n")
    for name in FILES:
        (target / name).write_text("".join(sorted(lines[name])))
    (target / "spk2gender").write_text("".join(f"{line}\n" for line in sorted(genders)))
    return hours


def run(folder: Path, name: str, cores: int) -> float:
    """Anonymize everything with some cores and return the wall time."""
    place = folder / name
    place.mkdir()
    config = folder / "scaling.json"
    dataset = {"subsets": {"train": "speech"}, "shards": SHARDS}
    config.write_text(
        json.dumps({"corpora": str(folder / "corpora"), "datasets": {"speech": dataset}})
    )
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", "Snakefile", "--directory", str(place)),
        *("--workflow-profile", "profiles/default", "--configfile", str(config), "--quiet", "all"),
        *("--cores", str(cores), "--"),
    ]
    subprocess.run([*command, "results/data/speech/manifest.tsv"], check=True)
    shards = [f"results/audio/b2/speech/{shard:03d}.tsv" for shard in range(SHARDS)]
    start = time.perf_counter()
    subprocess.run([*command, *shards], check=True)
    wall_s = time.perf_counter() - start
    jobs = [
        next(csv.DictReader(path.open(), delimiter="\t"))
        for path in sorted((place / "results/benchmarks/anonymize_shard").rglob("*.tsv"))
    ]
    job_s = [float(job["s"]) for job in jobs]
    cpu_s = sum(float(job["cpu_time"]) for job in jobs)
    memory = max(float(job["max_rss"]) for job in jobs)
    print(
        f"{cores} slots: {wall_s:.1f} s; jobs {min(job_s):.1f} to {max(job_s):.1f} s, "
        f"{cpu_s:.1f} s of CPU in all, at most {memory:.0f} MB each; load {os.getloadavg()[0]:.1f}"
    )
    return wall_s


if __name__ == "__main__":
    main(*sys.argv[1:])
