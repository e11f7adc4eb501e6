"""Anonymize one shard of a dataset and list what was written, with a hash per file."""

import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.audio import RATE_HZ, read_audio, write_audio
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests, write_manifest
from scripts.lib.provenance import file_digest
from scripts.lib.pseudovoices import pseudo_voices
from scripts.lib.shards import Shard, process_each
from scripts.lib.systems import load_method

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("anonymize_shard")


def main(
    manifest: str,
    audio: str,
    shard_manifest: str,
    shard: int,
    config: Mapping,
    threads: int = 1,
    index: str = "",
) -> None:
    """Anonymize every utterance of a shard.

    Parameters
    ----------
    manifest
        The dataset's manifest.
    audio, shard_manifest
        Folder of wav or flac files and table to write.
    shard
        Number of the shard; utterance i of the manifest belongs to shard i modulo their count.
    config
        The entries `system` and `dataset`.
    threads
        How many a method may use.
    index
        Path of the table of finished audio, for an external system.
    """
    system, dataset = config["system"], config["dataset"]
    method = load_method(system["method"])
    utterances = read_manifests([manifest])
    voices = pseudo_voices(utterances, system, dataset, method.draw)
    part = utterances.iloc[shard :: dataset["shards"]].copy()
    read = partial(read_audio, resample=dataset["resample"], downmix=dataset["downmix"])
    work = Shard(part.copy(), voices, system, read, threads, index)
    if hasattr(method, "process_shard"):
        outputs = method.process_shard(work)
    else:
        outputs = process_each(method.process, work)
    suffix = dataset.get("format", "wav")
    row_of = dict(zip(part["utterance"], part.index, strict=True))
    for utterance, output in outputs:
        target = Path(audio) / f"{utterance}.{suffix}"
        write_audio(target, output)
        row = row_of[utterance]
        part.loc[row, ["path", "sha256"]] = str(target), file_digest(target)
        part.loc[row, "duration_s"] = len(output) / RATE_HZ
    write_manifest(shard_manifest, part)
    logger.info("%d utterances, %.1f min", len(part), part["duration_s"].sum() / 60)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifest=snakemake.input.manifest,
            audio=snakemake.output.audio,
            shard_manifest=snakemake.output.manifest,
            shard=int(snakemake.wildcards.shard),
            config=snakemake.params.config,
            threads=snakemake.threads,
            index=str(snakemake.input.index),
        )
