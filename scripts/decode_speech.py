"""Transcribe the trial utterances of a dataset."""

import importlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scripts.lib.audio import read_audio
from scripts.lib.characters import SPACE, check_texts, spell
from scripts.lib.decoding import Decoder
from scripts.lib.joblog import job_log
from scripts.lib.language_model import LanguageModel, read_arpa
from scripts.lib.manifest import read_manifests, write_table
from scripts.lib.models.training import use_threads

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("decode_speech")
Settings = tuple[float, float]


def make_decoders(
    language_model: LanguageModel, vocabulary: Sequence[str], decoding: Mapping
) -> dict[Settings, Decoder]:
    """Return a decoder for every pair of LM weight and insertion penalty."""
    lexicon = spell(language_model.words, vocabulary)
    return {
        (lm_weight, penalty): Decoder(
            language_model,
            lexicon,
            separator=vocabulary.index(SPACE),
            units=len(vocabulary),
            lm_weight=lm_weight,
            insertion_penalty=penalty,
            beam=decoding["beam"],
            max_active=decoding["max_active"],
        )
        for lm_weight, penalty in product(decoding["lm_weights"], decoding["insertion_penalties"])
    }


def transcribe(
    utterances: pd.DataFrame,
    listen: Callable[[np.ndarray], np.ndarray],
    decoders: Mapping[Settings, Callable[[np.ndarray], str]],
) -> Iterator[dict]:
    """Yield one row per utterance and decoder; each utterance is heard once, on its own."""
    for row in utterances.itertuples():
        log_posteriors = listen(read_audio(row.path))
        for (lm_weight, penalty), decode in decoders.items():
            yield {
                "utterance": row.utterance,
                "speaker": row.speaker,
                "subset": row.subset,
                "lm_weight": lm_weight,
                "insertion_penalty": penalty,
                "reference": row.text,
                "hypothesis": decode(log_posteriors),
            }


def main(
    model: str,
    arpa: str,
    manifests: Sequence[str],
    transcripts: str,
    config: Mapping,
    threads: int,
) -> None:
    """Recognise all utterances of subsets whose name starts with "trials".

    Parameters
    ----------
    model, arpa
        Acoustic model and language model.
    manifests
        Audio manifests of the dataset.
    transcripts
        Table to write.
    config
        Entry of config/asr.
    threads
        Cores of the job.
    """
    use_threads(threads)
    table = read_manifests(manifests)
    trials = table[table["subset"].str.startswith("trials")]
    origin = ", ".join(manifests)
    if trials.empty:
        raise ValueError(f"{origin}: no subset `trials…`, so there is nothing to transcribe")
    backend = importlib.import_module(f"scripts.lib.models.{config['backend']}")
    recognizer = backend.Recognizer(model)
    check_texts(trials, recognizer.vocabulary, origin)
    language_model = read_arpa(arpa)
    decoders = make_decoders(language_model, recognizer.vocabulary, config["decoding"])
    rows = pd.DataFrame(transcribe(trials, recognizer.log_posteriors, decoders))
    write_table(transcripts, rows)
    spoken = trials["text"].str.split().explode()
    unknown = ~spoken.isin(language_model.words)
    logger.info(
        "%d utterances, %d settings; %d of %d words are not in the language model",
        len(trials),
        len(decoders),
        unknown.sum(),
        len(spoken),
    )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            model=snakemake.input.model,
            arpa=snakemake.input.arpa,
            manifests=snakemake.input.manifests,
            transcripts=snakemake.output.transcripts,
            config=snakemake.params.config,
            threads=snakemake.threads,
        )
