"""Say before a run how many jobs, hours of CPU and gigabytes of disk a study takes.

Usage: python -m scripts.lib.estimate STUDY [--configfile FILE] [--config KEY=VALUE] [--cores N]

Jobs come from a dry-run, so only what is still to be made counts. What they take comes from the
benchmark files of earlier jobs, else from config/throughput.yaml.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml
from snakemake.utils import update_config

from scripts.lib.benchmarks import benchmark_patterns, read_jobs
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import checked, load_yaml
from scripts.lib.markup import markdown_lines
from scripts.lib.workload import Workload, workload_of

REPOSITORY = Path(__file__).parents[2]
RESULTS = "results"
WAV_MB_PER_H = 16_000 * 2 * 3600 / 1e6
# Rendered speech of an4, digits60 and the demo: 0.45 to 0.62 of wav.
FLAC_SHARE = 0.55
# Rules derived from another (`use rule … as`) take the same time.
DERIVED = {
    "anonymize_passing_shard": "anonymize_shard",
    "synthesize_passing_shard": "synthesize_shard",
    "synthesize_passing_corpus": "synthesize_corpus",
}
MODELS = ("asv", "asr", "ser", "content", "pitch", "acoustic", "vocoder", "autoencoder")


@dataclass(frozen=True)
class Cost:
    """What a job takes, and how that is known."""

    cpu_s: float
    disk_mb: float
    passing_mb: float
    origin: str


class Estimate:
    """Costs of the jobs of a plan.

    Parameters
    ----------
    entries
        All configuration entries by kind and name.
    corpora
        Folder of prepared corpora.
    throughput
        Content of config/throughput.yaml.
    """

    def __init__(self, entries: Mapping, corpora: str, throughput: Mapping):
        self._entries, self._corpora = entries, corpora
        self._rules = throughput["rules"]
        self._workloads: dict[str, Workload] = {}

    def workload(self, dataset: str) -> Workload:
        """Return how much a dataset holds."""
        if dataset not in self._workloads:
            entry = self._entries["datasets"][dataset]
            self._workloads[dataset] = workload_of(
                dataset, entry, self._entries["synthetic"], self._corpora, RESULTS
            )
        return self._workloads[dataset]

    def units(self, rule: str, wildcards: Mapping[str, str]) -> float:
        """Return the size of a job in the unit that its rule's time grows with."""
        unit = self._rule(rule)["unit"]
        if unit == "job":
            return 0.0
        if unit == "update":
            return float(self._model(wildcards)["updates"])
        loads = [self.workload(name) for name in self._datasets(wildcards)]
        if unit == "trial":
            return sum(load.trials for load in loads) / (2 if "gender" in wildcards else 1)
        hours = sum(load.hours for load in loads)
        dataset = self._entries["datasets"].get(wildcards.get("dataset"), {})
        for wildcard, setting in (("shard", "shards"), ("part", "parts")):
            if wildcard in wildcards:
                hours /= dataset[setting]
        return hours * (self._model(wildcards).get("epochs", 1) if unit == "epoch_h" else 1)

    def cost(self, rule: str, wildcards: Mapping[str, str]) -> Cost:
        """Return what one job takes."""
        units, defaults = self.units(rule, wildcards), self._rule(rule)
        names = self._variants(rule, wildcards)
        measured = [self._measured[rule, name] for name in names if (rule, name) in self._measured]
        if measured:
            start_s, unit_s, jobs = measured[0]
            origin = f"{jobs} jobs before"
        else:
            known = [name for name in names if name in defaults["unit_s"]]
            start_s = defaults["start_s"]
            unit_s = defaults["unit_s"][known[0] if known else "other"]
            origin = "default" if known or rule in self._rules else "guess"
        disk_mb = defaults["disk_mb"] + defaults["unit_mb"] * units
        stays = True
        if "shard" in wildcards and "system" in wildcards:
            dataset = self._entries["datasets"][wildcards["dataset"]]
            share = FLAC_SHARE if dataset.get("format") == "flac" else 1.0
            disk_mb, stays = units * WAV_MB_PER_H * share, dataset["keep_audio"]
        if "corpus" in wildcards and rule.startswith("synthesize"):
            disk_mb = units * WAV_MB_PER_H
            stays = self._entries["synthetic"][wildcards["corpus"]]["keep_audio"]
        return Cost(
            start_s + unit_s * units, disk_mb if stays else 0, 0 if stays else disk_mb, origin
        )

    def _rule(self, rule: str) -> Mapping:
        return self._rules.get(DERIVED.get(rule, rule), self._rules["other"])

    def _model(self, wildcards: Mapping[str, str]) -> Mapping:
        for kind in MODELS:
            if kind in wildcards:
                return self._entries[kind].get(wildcards[kind], {})
        return {}

    def _datasets(self, wildcards: Mapping[str, str]) -> list[str]:
        if "dataset" in wildcards:
            return [wildcards["dataset"]]
        if "corpus" in wildcards:
            corpus = wildcards["corpus"]
            datasets = self._entries["datasets"].items()
            return [name for name, entry in datasets if entry.get("corpus") == corpus]
        return list(self._model(wildcards).get("training_data", []))

    def _variants(self, rule: str, wildcards: Mapping[str, str]) -> list[str]:
        """Return what the speed of a job depends on, the most specific first."""
        if "system" in wildcards and self._rule(rule)["unit"] == "audio_h" and "shard" in wildcards:
            system = wildcards["system"]
            return [system, self._entries["systems"][system]["method"]]
        for kind in MODELS:
            if kind in wildcards:
                name = wildcards[kind]
                return [name, self._entries[kind].get(name, {}).get("backend", name)]
        return [""]

    @cached_property
    def _measured(self) -> dict[tuple[str, str], tuple[float, float, int]]:
        """Seconds per job and per unit of earlier jobs, by rule and variant, and their number."""
        sums: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
        for job in read_jobs(benchmark_patterns(REPOSITORY / "rules", f"{RESULTS}/benchmarks")):
            try:
                units = self.units(job["rule"], job["wildcards"])
                variants = self._variants(job["rule"], job["wildcards"])
            except (KeyError, OSError):  # of an entry or corpus that is no longer there
                continue
            for place, value in enumerate((job["cpu_s"], units, 1)):
                sums[job["rule"], variants[0]][place] += value
        found = {}
        for (rule, variant), (cpu_s, units, jobs) in sums.items():
            start_s = min(self._rule(rule)["start_s"], cpu_s / jobs) if units else cpu_s / jobs
            unit_s = (cpu_s - start_s * jobs) / units if units else 0.0
            found[rule, variant] = start_s, unit_s, int(jobs)
        return found


def planned_jobs(study: str, arguments: Iterable[str]) -> list[tuple[str, dict[str, str]]]:
    """Return rule and wildcards of every job that a dry-run announces."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", *arguments, "--", study]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return parse_plan(done.stdout)


def parse_plan(text: str) -> list[tuple[str, dict[str, str]]]:
    r"""Return rule and wildcards of the jobs in the output of a dry-run.

    Examples
    --------
    >>> parse_plan("rule embed:\n    input: a\n    wildcards: system=b2, part=000\n")
    [('embed', {'system': 'b2', 'part': '000'})]
    """
    jobs = []
    for block in re.split(r"^(?=(?:local)?rule \w+:$)", text, flags=re.M)[1:]:
        found = re.search(r"^ +wildcards: (.*)$", block, flags=re.M)
        pairs = re.findall(r"(\w+)=([^,\s]+)", found[1]) if found else []
        jobs.append((re.match(r"(?:local)?rule (\w+)", block)[1], dict(pairs)))
    return jobs


def report(jobs: Iterable[tuple[str, Mapping]], estimate: Estimate, cores: int) -> str:
    """Return the estimate as tables by rule and by system, and what it comes to."""
    rows = []
    for rule, wildcards in jobs:
        system = wildcards.get("system", wildcards.get("trained_on", ""))
        rows.append((rule, system, estimate.cost(rule, wildcards)))
    if not rows:
        return "Nothing is left to do."
    lines: list[str] = []
    for place, head in ((0, "rule"), (1, "system")):
        groups: dict[str, list[Cost]] = defaultdict(list)
        for row in rows:
            groups[row[place]].append(row[2])
        body = [[head, "jobs", "CPU", "longest job", "disk, MB", "from"]]
        for name, costs in groups.items():
            origins = sorted({cost.origin for cost in costs})
            body.append(
                [
                    name,
                    str(len(costs)),
                    duration(sum(cost.cpu_s for cost in costs)),
                    duration(max(cost.cpu_s for cost in costs)),
                    f"{sum(cost.disk_mb + cost.passing_mb for cost in costs):.0f}",
                    "; ".join(origins) if len(origins) < 3 else "several",
                ]
            )
        lines += [*markdown_lines(body), ""]
    costs = [cost for *_, cost in rows]
    total_s = sum(cost.cpu_s for cost in costs)
    wall_s = max(total_s / cores, max(cost.cpu_s for cost in costs))
    stays, passes = (sum(getattr(c, name) for c in costs) for name in ("disk_mb", "passing_mb"))
    free_mb = shutil.disk_usage(".").free / 1e6
    lines += [
        f"{len(rows)} jobs, {duration(total_s)} of CPU: at least {duration(wall_s)} "
        f"on {cores} cores.",
        f"{stays / 1000:.1f} GB of disk stay, {passes / 1000:.1f} GB pass; {free_mb / 1000:.1f} GB "
        "are free here.",
    ]
    if stays + passes > free_mb:
        lines.append("THE DISK IS TOO SMALL: see `format` and `keep_audio` of a dataset's entry.")
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """Return a time to read.

    Examples
    --------
    >>> duration(42), duration(90), duration(5400), duration(360000)
    ('42.0 s', '1.5 min', '1.5 h', '100.0 h')
    """
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:.1f} s"


def main(arguments: list[str]) -> None:
    """Print the estimate of a study."""
    parser = argparse.ArgumentParser(prog="estimate", description=__doc__.splitlines()[0])
    parser.add_argument("study")
    parser.add_argument("--configfile", nargs="+", default=[])
    parser.add_argument("--config", nargs="+", default=[])
    parser.add_argument("--cores", type=int, default=2)
    given = parser.parse_args(arguments)
    config = load_yaml(REPOSITORY / "config" / "config.yaml")
    for name in given.configfile:
        update_config(config, load_yaml(name))
    for pair in given.config:
        key, value = pair.split("=", 1)
        config[key] = yaml.safe_load(value)
    schema = load_yaml(REPOSITORY / "config" / "schemas" / "throughput.schema.yaml")
    place = REPOSITORY / "config" / "throughput.yaml"
    throughput = checked(load_yaml(place), schema, str(place))
    forwarded = [f"--cores={given.cores}"]
    for option in ("configfile", "config"):
        values = getattr(given, option)
        forwarded += [f"--{option}", *values] if values else []
    catalogue = Catalogue(REPOSITORY / "config", config)
    estimate = Estimate(catalogue, config["corpora"], throughput)
    jobs = [job for job in planned_jobs(given.study, forwarded) if job[0] != given.study]
    print(report(jobs, estimate, given.cores))
    print(f'Defaults: {throughput["machine"]}; "before" are jobs of earlier runs below {RESULTS}/.')


if __name__ == "__main__":
    main(sys.argv[1:])
