"""Speak one shard of a dataset anew: its content and pitch in the voices chosen for it."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from scripts.lib.audio import RATE_HZ, write_audio
from scripts.lib.feature_store import read_features
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests, write_manifest
from scripts.lib.models.chain import Speaker
from scripts.lib.models.training import use_threads
from scripts.lib.pitch.speakers import SpeakerPitch
from scripts.lib.provenance import file_digest
from scripts.lib.seeding import rng_for
from scripts.lib.voice_table import read_voices

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("synthesize_shard")


def main(
    files: Mapping[str, str | Sequence[str]],
    audio: str,
    shard_manifest: str,
    shard: int,
    config: Mapping,
    threads: int,
) -> None:
    """Synthesize every utterance of a shard.

    Parameters
    ----------
    files
        Paths: the dataset's `manifest`, its `voices`, `content` and `pitch` of the shard (none
        for a chain without pitch), the models `acoustic` and `vocoder` (none where nothing is
        trained), and, where pitch is moved to other speakers', manifests and pitch of the whole
        dataset and of the pool as `known_manifests` and `known_pitch`.
    audio, shard_manifest
        Folder of wav or flac files and table to write.
    shard
        Number of the shard; utterance i of the manifest belongs to shard i modulo their count.
    config
        The entries `system`, `dataset`, `acoustic` and `vocoder` (none for a joint model).
    threads
        Cores of the job.
    """
    use_threads(threads)
    system, dataset = config["system"], config["dataset"]
    part = read_manifests([files["manifest"]]).iloc[shard :: dataset["shards"]].copy()
    voices = read_voices(files["voices"])
    content = read_features(files["content"])
    pitch = read_features(files["pitch"][0]) if files["pitch"] else {}
    known = SpeakerPitch(files["known_manifests"], files["known_pitch"])
    speaker = Speaker(config, files["acoustic"], files["vocoder"])
    for row in part.itertuples():
        name = row.utterance
        rng = rng_for(system["seed"], system["name"], "synthesis", dataset["name"], name)
        voice = voices[name]
        try:
            unvoiced = np.zeros(len(content[name]), dtype=np.float32)
            tracked = pitch[name] if pitch else unvoiced
            f0 = known.transform(tracked, row, voice.donors, system["params"]["f0"], rng)
            samples = speaker.speak(content[name], f0, voice, rng)
        except ValueError as error:
            raise ValueError(f"system {system['name']}, utterance {name}: {error}") from error
        target = Path(audio) / f"{name}.{dataset.get('format', 'wav')}"
        write_audio(target, samples)
        part.loc[row.Index, ["path", "sha256"]] = str(target), file_digest(target)
        part.loc[row.Index, "duration_s"] = len(samples) / RATE_HZ
    write_manifest(shard_manifest, part)
    logger.info("%d utterances, %.1f min", len(part), part["duration_s"].sum() / 60)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            files=dict(snakemake.input.items()),
            audio=snakemake.output.audio,
            shard_manifest=snakemake.output.manifest,
            shard=int(snakemake.wildcards.shard),
            config=snakemake.params.config,
            threads=snakemake.threads,
        )
