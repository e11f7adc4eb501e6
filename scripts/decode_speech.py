"""Transcribe the trial utterances of one part of a dataset."""

import importlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from scripts.lib.audio import read_audio
from scripts.lib.decoding import Decoder
from scripts.lib.joblog import job_log
from scripts.lib.language_model import LanguageModel, read_arpa
from scripts.lib.manifest import read_manifests, write_table
from scripts.lib.models.training import use_threads
from scripts.lib.models.units import Units
from scripts.lib.transcripts import COLUMNS, trial_utterances

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("decode_speech")


def make_decoders(
    language_model: LanguageModel, units: Units, decoding: Mapping
) -> dict[float, Decoder]:
    """Return a decoder for every insertion penalty."""
    lexicon = units.spellings(language_model.words)
    if not lexicon:
        raise ValueError("no word of the language model can be spelled in the recogniser's units")
    return {
        penalty: Decoder(
            language_model,
            lexicon,
            separator=units.separator,
            units=len(units.vocabulary),
            insertion_penalty=penalty,
            beam=decoding["beam"],
            max_active=decoding["max_active"],
        )
        for penalty in decoding["insertion_penalties"]
    }


def transcribe(
    utterances: pd.DataFrame,
    listen: Callable[[np.ndarray], np.ndarray],
    decoders: Mapping[float, Callable[[np.ndarray, float], str]],
    lm_weights: Sequence[float],
) -> Iterator[dict]:
    """Yield one row per utterance and settings; each utterance is heard once, on its own."""
    for row in utterances.itertuples():
        log_posteriors = listen(read_audio(row.path))
        for lm_weight, (penalty, decode) in product(lm_weights, decoders.items()):
            yield {
                "utterance": row.utterance,
                "speaker": row.speaker,
                "subset": row.subset,
                "lm_weight": lm_weight,
                "insertion_penalty": penalty,
                "reference": row.text,
                "hypothesis": decode(log_posteriors, lm_weight),
            }


def main(
    model: str,
    arpa: str,
    manifests: Sequence[str],
    transcripts: str,
    config: Mapping,
    threads: int,
) -> None:
    """Recognise all utterances of subsets whose name starts with "trials", if the part has any.

    Parameters
    ----------
    model, arpa
        Acoustic model and language model.
    manifests
        Audio manifests of the part.
    transcripts
        Table to write.
    config
        Entry of config/asr.
    threads
        Cores of the job.
    """
    use_threads(threads)
    trials = trial_utterances(read_manifests(manifests))
    backend = importlib.import_module(f"scripts.lib.models.{config['backend']}")
    recognizer = backend.Recognizer(model)
    recognizer.units.check_references(trials, ", ".join(manifests))
    language_model = read_arpa(arpa)
    decoders = make_decoders(language_model, recognizer.units, config["decoding"])
    weights = config["decoding"]["lm_weights"]
    found = transcribe(trials, recognizer.log_posteriors, decoders, weights)
    rows = pd.DataFrame(found, columns=COLUMNS)
    write_table(transcripts, rows)
    spoken = trials["text"].str.split().explode()
    unknown = ~spoken.isin(language_model.words)
    logger.info(
        "%d utterances, %d settings; %d of %d words are not in the language model",
        len(trials),
        len(decoders) * len(weights),
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
