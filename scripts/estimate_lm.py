"""Estimate an n-gram language model from the transcripts of its training data."""

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.characters import check_words
from scripts.lib.joblog import job_log
from scripts.lib.language_model import estimate, write_arpa
from scripts.lib.lm_pruning import prune
from scripts.lib.manifest import read_manifests

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("estimate_lm")


def main(manifests: Sequence[str], arpa: str, config: Mapping) -> None:
    """Count the words of every utterance and write the model in ARPA format.

    Parameters
    ----------
    manifests
        Manifests of the datasets.
    arpa
        File to write.
    config
        Entry of config/lm.
    """
    utterances = read_manifests(manifests)
    check_words(utterances, origin=", ".join(manifests))
    sentences = [text.split() for text in utterances["text"]]
    model = estimate(sentences, config["order"])
    if config["pruning"]:
        model = prune(model, config["pruning"])
    write_arpa(arpa, model)
    logger.info(
        "%d sentences, %d words in the vocabulary, %s n-grams, perplexity %.2f on the text itself",
        len(sentences),
        len(model.words),
        " + ".join(str(len(level)) for level in model.log_probabilities),
        model.perplexity(sentences),
    )


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifests=snakemake.input.manifests,
            arpa=snakemake.output.arpa,
            config=snakemake.params.config,
        )
