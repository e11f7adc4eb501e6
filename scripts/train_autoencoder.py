"""Train an autoencoder of speaker vectors that is made to forget whose they are."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scripts.lib.joblog import job_log
from scripts.lib.layers import write_layers
from scripts.lib.models.training import load_state
from scripts.lib.models.training_job import train_model

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


def main(
    files: Mapping[str, str],
    manifests: Sequence[str],
    features: Mapping[str, Sequence[str]],
    sources: Sequence[str],
    threads: int,
    gpus: int,
    config: Mapping,
) -> None:
    """Train, then write the layers where choosing voices finds them.

    Parameters
    ----------
    files
        To write: `model`, `curve`, `card` and `layers`.
    manifests
        Audio manifests of the training data; nothing is heard, but they say who speaks.
    features
        Files of `vectors` and `accents`.
    sources
        Files of code that a checkpoint depends on.
    threads, gpus
        Cores and GPUs it may use.
    config
        What `train_model` asks for.
    """
    train_model(
        manifests=manifests,
        model=files["model"],
        curve=files["curve"],
        card=files["card"],
        sources=sources,
        seed=config["model"]["seed"],
        threads=threads,
        gpus=gpus,
        config=config,
        features=features,
    )
    layers = load_state(files["model"])["layers"]
    write_layers(files["layers"], [(e["weight"].numpy(), e["bias"].numpy()) for e in layers])


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            files=dict(snakemake.output.items()),
            manifests=snakemake.input.manifests,
            features={kind: list(snakemake.input[kind]) for kind in ("vectors", "accents")},
            sources=[*snakemake.input.src, *snakemake.input.backend],
            threads=snakemake.threads,
            gpus=snakemake.resources.gpu,
            config=snakemake.params.config,
        )
