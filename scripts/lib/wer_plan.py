"""Which files hold the word error rates of a study: by recogniser, language model and data."""

from collections.abc import Iterable, Mapping

from scripts.lib.configuration import ConfigurationError, check_name
from scripts.lib.reference import REFERENCE_SYSTEM

# Stands in paths where a language model's name stands, for recognisers that need none.
NO_LM = "none"


def language_models(study: Mapping) -> list[str]:
    """Return the language models that a study's recogniser is tried with.

    Examples
    --------
    >>> language_models({"lms": []})
    ['none']
    """
    return study["lms"] or [NO_LM]


def check_language_models(origin: str, study: Mapping, recognizers: Mapping) -> None:
    """Refuse a study whose recogniser lacks a language model, or has one and cannot use it.

    Parameters
    ----------
    origin
        Where the study stands, for the message.
    study, recognizers
        Its entry, and those of config/asr.
    """
    name = study.get("asr")
    if name and ("training_data" in recognizers[name]) != bool(study["lms"]):
        raise ConfigurationError(
            f"{origin}, lms: {name} needs language models if it is trained here, and takes none "
            "if others trained it"
        )


def pooled(study: Mapping, datasets: Iterable[str]) -> list[str]:
    """Return datasets as their words are counted: those of a pool under its name, once.

    Examples
    --------
    >>> pooled({"pools": {"vctk": ["different", "common"]}}, ["libri", "different", "common"])
    ['libri', 'vctk']
    """
    pool_of = {name: pool for pool, members in study["pools"].items() for name in members}
    return list(dict.fromkeys(pool_of.get(name, name) for name in datasets))


def recognizer_heard(cell: Mapping, system: str) -> str:
    """Return the system that rendered the speech which a cell's recogniser was trained on."""
    anonymized = cell.get("asr_training") == "anonymized"
    return system if anonymized else REFERENCE_SYSTEM


def recognizer_label(block: Mapping, lm: str, form: Mapping, study: Mapping) -> str:
    """Return what tells a block of word error rates from the others of its table.

    Parameters
    ----------
    block, form
        Block of a table, and its form with all blocks.
    lm
        Printed name of the language model.
    study
        Its `lms`: a single one needs no name.

    Examples
    --------
    >>> block = {"metric": "wer", "asr_training": "original"}
    >>> recognizer_label(block, "small", {"blocks": [block]}, {"lms": ["tgsmall", "tglarge"]})
    'LM small'
    """
    trainings = {other["asr_training"] for other in form["blocks"]}
    parts = [
        f"LM {lm}" if len(study["lms"]) > 1 else "",
        f"recogniser trained on {block['asr_training']} speech" if len(trainings) > 1 else "",
    ]
    return ", ".join(filter(None, parts))


def wer_files(study: Mapping, asr: str, cell: Mapping, system: str, dataset: str) -> list[str]:
    """Return the metric files of a cell, one per language model.

    Parameters
    ----------
    study
        Entry of config/studies.
    asr
        Its recogniser.
    cell
        Block of a table; `asr_training` says what the recogniser heard.
    system, dataset
        What is recognised.
    """
    model = f"{asr}/{recognizer_heard(cell, system)}/{study['seeds'][0]}"
    (place,) = pooled(study, [dataset])
    return [
        f"<results>/metrics/wer/{model}/{lm}/{system}/{place}.tsv" for lm in language_models(study)
    ]


def pool_members(studies: Mapping[str, Mapping], datasets: Iterable[str]) -> dict[str, list[str]]:
    """Return the datasets behind every name under which words are counted.

    Parameters
    ----------
    studies
        Entries of config/studies, whose `pools` have to agree.
    datasets
        Names in config/datasets; each is its own only member.

    Examples
    --------
    >>> pool_members({"s": {"pools": {"ab": ["a", "b"]}}}, ["a", "b"])
    {'a': ['a'], 'b': ['b'], 'ab': ['a', 'b']}
    """
    members = {name: [name] for name in datasets}
    for study, entry in studies.items():
        for pool, names in entry["pools"].items():
            check_name(pool, f"study {study}, pools")
            if members.setdefault(pool, names) != names:
                raise ConfigurationError(
                    f"study {study}, pools.{pool}: the name stands for {members[pool]} already"
                )
    return members
