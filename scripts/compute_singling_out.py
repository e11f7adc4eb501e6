"""Compute how often one speaker of a population is singled out, by population size."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.embeddings import load_embeddings
from scripts.lib.joblog import job_log
from scripts.lib.legal.curves import singling_out_rows
from scripts.lib.manifest import read_table, write_rows

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(sets: str, embeddings: Sequence[str], metrics: str, ids: Mapping, config: Mapping) -> None:
    """Read the two sets and all embeddings, write one row per population size."""
    rows = singling_out_rows(read_table(sets), load_embeddings(embeddings), config)
    write_rows(metrics, ids, rows)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            sets=snakemake.input.sets,
            embeddings=snakemake.input.embeddings,
            metrics=snakemake.output.metrics,
            ids=snakemake.params.ids,
            config=snakemake.params.config,
        )
