"""Record what a study's results were made with and what its jobs took."""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.benchmarks import of_study, read_jobs, summarize
from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import write_table
from scripts.lib.markup import markdown_lines
from scripts.lib.run_record import run_record

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("record_run")


def main(
    data: Sequence[str],
    results: Sequence[str],
    provenance: str,
    tsv: str,
    md: str,
    config: Mapping,
) -> None:
    """Write the record of a study and the table of its jobs.

    Parameters
    ----------
    data, results
        What the study was computed from, and what it printed.
    provenance, tsv, md
        Files to write.
    config
        The `study`, the `configuration` it uses, the `names` that its jobs' wildcards may have,
        and the path `patterns` of benchmark files by rule.
    """
    record = run_record(config["study"], config["configuration"], data, results)
    with atomic_path(provenance) as temporary:
        temporary.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    # Benchmark files are no inputs of this job: they differ in each run and must not cause one.
    jobs = [job for job in read_jobs(config["patterns"]) if of_study(job, config["names"])]
    table = summarize(jobs)
    write_table(tsv, table)
    body = [list(table.columns), *table.astype(str).to_numpy().tolist()]
    with atomic_path(md) as temporary:
        temporary.write_text("\n".join(markdown_lines(body)) + "\n", encoding="utf-8")
    logger.info("%d jobs on record", len(jobs))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            data=snakemake.input.data,
            results=snakemake.input.results,
            provenance=snakemake.output.provenance,
            tsv=snakemake.output.tsv,
            md=snakemake.output.md,
            config=snakemake.params.config,
        )
