"""Choose the pseudo-voice of every utterance of a dataset, as a vector to speak with."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scripts.lib.embeddings import load_embeddings, stack_embeddings
from scripts.lib.joblog import job_log
from scripts.lib.manifest import ENROLMENT, read_manifests
from scripts.lib.plda import Plda
from scripts.lib.pseudovoices import Sharers, voice_sharers
from scripts.lib.seeding import digest_of
from scripts.lib.voice_table import VoiceTable, write_voices
from scripts.lib.voices import Steps
from scripts.lib.voices.vectors import VARIANTS, Pool, Source

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("choose_voices")


def main(files: Mapping[str, str | Sequence[str]], voices: str, config: Mapping) -> None:
    """Write a table of voices.

    Parameters
    ----------
    files
        Paths: `manifest` and `embeddings` of the dataset, `pool_manifest` and `pool_embeddings`,
        `plda` of the vectors' model (none where no step asks for it), and the `networks` of steps
        that have one, in their order.
    voices
        File to write.
    config
        `system` with name, level, training_level, seeding and seed, `steps`, and `dataset` with
        name and subsets.
    """
    utterances = read_manifests([files["manifest"]])
    vectors = load_embeddings(files["embeddings"])
    pool = read_pool(files["pool_manifest"], files["pool_embeddings"], files["plda"])
    networks = iter(files["networks"])
    entries = [
        {**step, "layers": next(networks)} if "autoencoder" in step else step
        for step in config["steps"]
    ]
    steps = Steps(entries, pool)
    system = {**config["system"], "params": {}}
    found: dict[str, tuple] = {}
    for sharers in voice_sharers(utterances, system, config["dataset"]):
        source = source_of(sharers, utterances, vectors)
        voice = steps.apply(source, sharers.rng)
        found |= dict.fromkeys(sharers.utterances, (voice.vector, source.vector, voice.donors))
    names = list(utterances["utterance"])
    pseudo, source, donors = zip(*(found[name] for name in names), strict=True)
    write_voices(voices, VoiceTable(names, np.stack(pseudo), np.stack(source), donors))
    logger.info("%d utterances, %d voices", len(names), len({tuple(vector) for vector in pseudo}))


def read_pool(manifest: str, embeddings: Sequence[str], plda: Sequence[str]) -> Pool:
    """Return the speakers of a pool, sorted by name, each with the plain mean of its embeddings."""
    utterances = read_manifests([manifest])
    vectors = load_embeddings(embeddings)
    speakers, genders, means, said = [], [], [], []
    for speaker, spoken in utterances.groupby("speaker"):
        speakers.append(str(speaker))
        genders.append(spoken["gender"].iloc[0])
        said.append(stack_embeddings(vectors, spoken["utterance"]))
        means.append(said[-1].mean(axis=0, dtype=np.float64))
    return Pool(
        tuple(speakers),
        np.array(genders),
        np.stack(means),
        Plda.load(plda[0]) if plda else None,
        np.concatenate(said),
        np.repeat(np.arange(len(said)), [len(spoken) for spoken in said]),
    )


def source_of(
    sharers: Sharers, utterances: pd.DataFrame, vectors: Mapping[str, np.ndarray]
) -> Source:
    """Return the speaker behind the utterances that share a voice.

    A voice that subsets share has to come from the same vector in each, so there it is the mean
    of all that the speaker says; otherwise no utterance of another subset may count.
    """
    own = utterances["utterance"].isin(sharers.utterances)
    rows = utterances[own]
    if sharers.level == "global_speaker":
        rows = utterances[utterances["speaker"] == sharers.key]
    elif sharers.level == "constant":
        rows = utterances
    spoken = stack_embeddings(vectors, rows["utterance"])
    gender = str(utterances["gender"][own].iloc[0])
    subset = str(utterances["subset"][own].iloc[0])
    variant = variant_of(sharers.level, subset, sharers.key)
    return Source(spoken.mean(axis=0, dtype=np.float64), gender, spoken, variant)


def variant_of(level: str, subset: str, key: str) -> int:
    """Return which of a speaker's voices some utterances get from steps that draw nothing.

    Enrolment and trials have to differ; an attacker's training utterances meet every variant.

    Examples
    --------
    >>> variant_of("speaker", "trials_f", "s1"), variant_of("speaker", "enrol", "s1")
    (0, 1)
    """
    if level == "utterance":
        return digest_of("variant", key) % VARIANTS
    return int(level == "speaker" and subset == ENROLMENT)


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            files=dict(snakemake.input.items()),
            voices=snakemake.output.voices,
            config=snakemake.params.config,
        )
