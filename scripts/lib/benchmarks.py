"""What jobs took: the benchmark files that Snakemake writes, read back and summed up."""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pandas as pd

# A name in braces, perhaps with an expression that may hold braces itself: {shard,\d{3}}.
_WILDCARD = re.compile(r"\{(\w+)(?:,(?:[^{}]|\{[^{}]*\})*)?\}")
COLUMNS = ("jobs", "wall_s", "cpu_s", "cores", "longest_s", "peak_mb")


def read_jobs(patterns: Mapping[str, str]) -> Iterator[dict]:
    """Yield rule, wildcards, seconds, CPU seconds and peak memory of every job on record.

    A job that was run in several ways (another number of shards) is on record in each of them.

    Parameters
    ----------
    patterns
        Path of each rule's benchmark files, with wildcards in braces. A rule that is derived from
        another has the same: its jobs count as those of the first.
    """
    seen: set[Path] = set()
    for rule, pattern in patterns.items():
        form = path_form(pattern)
        folder = Path(re.split(r"/[^/]*\{", pattern)[0])
        for path in [folder] if folder.is_file() else sorted(folder.rglob("*.tsv")):
            found = form.fullmatch(path.as_posix())
            if found is None or path in seen:
                continue
            seen.add(path)
            record = _last_line(path)
            if record is not None:
                yield {"rule": rule, "wildcards": found.groupdict(), **record}


def benchmark_patterns(rules: str | Path, folder: str) -> dict[str, str]:
    """Return the path pattern of each rule's benchmark files, as the rule files state it.

    Parameters
    ----------
    rules
        Folder of rule files.
    folder
        Folder of benchmark files, which rules write as a path variable.
    """
    found = {}
    for path in sorted(Path(rules).glob("*.smk")):
        for body in re.split(r"^rule ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
            stated = re.search(r'^    benchmark:\s+"<benchmarks>/(.+)"$', body, flags=re.M)
            if stated:
                found[body.split(":")[0]] = f"{folder}/{stated[1]}"
    return found


def path_form(pattern: str) -> re.Pattern:
    """Return the expression that matches the files of a pattern, one group per wildcard.

    Examples
    --------
    >>> path_form("b/embed/{system}/{part}.tsv").fullmatch("b/embed/b2/000.tsv").groupdict()
    {'system': 'b2', 'part': '000'}
    """
    seen: set[str] = set()
    form, end = "", 0
    for found in _WILDCARD.finditer(pattern):
        name = found[1]
        form += re.escape(pattern[end : found.start()])
        form += f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+)"
        seen.add(name)
        end = found.end()
    return re.compile(form + re.escape(pattern[end:]))


def of_study(job: Mapping, names: Mapping[str, Collection[str]]) -> bool:
    """Return whether each wildcard of a job has a value that the study has.

    Parameters
    ----------
    job
        What `read_jobs` yields.
    names
        Values by wildcard; a wildcard that is not listed may have any.
    """
    return all(
        value in names[wildcard]
        for wildcard, value in job["wildcards"].items()
        if wildcard in names
    )


def summarize(jobs: Collection[Mapping]) -> pd.DataFrame:
    """Return one row per rule and system: number of jobs, time, cores in use, memory.

    A training is listed under the system whose speech the model heard.

    Examples
    --------
    >>> job = {"rule": "embed", "wildcards": {"system": "b2"}, "s": 4.0, "cpu_s": 6.0, "mb": 9.0}
    >>> summarize([job, {**job, "s": 2.0}]).iloc[0].to_dict()  # doctest: +NORMALIZE_WHITESPACE
    {'rule': 'embed', 'system': 'b2', 'jobs': 2, 'wall_s': 6.0, 'cpu_s': 12.0, 'cores': 2.0,
     'longest_s': 4.0, 'peak_mb': 9.0}
    """
    rows = [
        {
            "rule": job["rule"],
            "system": job["wildcards"].get("system", job["wildcards"].get("trained_on", "")),
            **{key: job[key] for key in ("s", "cpu_s", "mb")},
        }
        for job in jobs
    ]
    if not rows:
        return pd.DataFrame(columns=["rule", "system", *COLUMNS])
    groups = pd.DataFrame(rows).groupby(["rule", "system"], sort=False)
    table = groups.agg(
        jobs=("s", "size"),
        wall_s=("s", "sum"),
        cpu_s=("cpu_s", "sum"),
        longest_s=("s", "max"),
        peak_mb=("mb", "max"),
    )
    # Jobs of less than a measuring interval may be on record with no time at all.
    table["cores"] = (table["cpu_s"] / table["wall_s"].where(table["wall_s"] > 0)).round(2)
    return table.reset_index()[["rule", "system", *COLUMNS]].round(2)


def _last_line(path: Path) -> dict | None:
    """Return the measurement of a job, or nothing if it ended before it could be measured."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) < 2:
        return None
    record = dict(zip(lines[0].split("\t"), lines[-1].split("\t"), strict=True))
    values = {"s": record["s"], "cpu_s": record["cpu_time"], "mb": record["max_rss"]}
    # A short job has no memory on record: the process was gone before the first look.
    return {key: 0.0 if value in ("NA", "-") else float(value) for key, value in values.items()}
