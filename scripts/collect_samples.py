"""Copy some utterances as every system of a study renders them, with a page to hear them."""

import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.lib.files import atomic_path
from scripts.lib.joblog import job_log
from scripts.lib.manifest import read_manifests
from scripts.lib.samples_page import choose_samples, samples_page

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

logger = logging.getLogger("collect_samples")


def main(manifest: str, manifests: Sequence[str], audio: str, page: str, config: Mapping) -> None:
    """Choose utterances, copy their recordings below `audio` and write the page beside it.

    Parameters
    ----------
    manifest
        The dataset's manifest.
    manifests
        Manifests of the shards of every system, in the order of `config["systems"]`, as many for
        each.
    audio, page
        Folder of recordings and HTML file to write; the page names recordings relative to itself.
    config
        `title`, number of utterances as `count`, and `systems` with name, label and note.
    """
    utterances = read_manifests([manifest])
    names = choose_samples(utterances, config["count"])
    chosen = utterances.set_index("utterance").loc[names].reset_index()
    shards = len(manifests) // len(config["systems"])
    files: dict[str, dict[str, str]] = {}
    for number, system in enumerate(config["systems"]):
        rendered = read_manifests(manifests[number * shards : (number + 1) * shards])
        path_of = dict(zip(rendered["utterance"], rendered["path"], strict=True))
        files[system["name"]] = {}
        for name in names:
            source = Path(path_of[name])
            target = Path(audio) / system["name"] / source.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            files[system["name"]][name] = target.relative_to(Path(page).parent).as_posix()
    with atomic_path(page) as temporary:
        text = samples_page(config["title"], chosen, files, config["systems"])
        temporary.write_text(text, encoding="utf-8")
    logger.info("%d utterances of %d systems", len(names), len(config["systems"]))


if __name__ == "__main__":
    with job_log(snakemake.log[0]):
        main(
            manifest=snakemake.input.manifest,
            manifests=snakemake.input.manifests,
            audio=snakemake.output.audio,
            page=snakemake.output.page,
            config=snakemake.params.config,
        )
