"""Prepared corpora load by their YAML entries alone."""

from pathlib import Path

import pytest

from scripts import prepare_manifest, prepare_trials
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.manifest import read_manifests, read_table

CORPORA = Path("../shared/corpora")
# Published counts: utterances, then target and nontarget trials of women and men.
COUNTS = {
    "digits60_test": (172, {"f": (48, 144), "m": (72, 576)}),
    "digits60_dev": (172, {"f": (48, 144), "m": (72, 576)}),
    "an4_test": (231, {"f": (66, 462), "m": (85, 935)}),
    "an4_dev": (221, {"f": (57, 399), "m": (84, 924)}),
    "digits60_train": (272, {}),
    "an4_train": (559, {}),
}


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"no prepared corpora in {CORPORA}")
@pytest.mark.parametrize("name", COUNTS)
def test_corpus_loads_with_its_published_counts(name, tmp_path):
    entry = Catalogue("config", load_yaml("config/config.yaml"))["datasets"][name]
    config = {**entry, "folder": str(CORPORA)}
    manifest = tmp_path / "manifest.tsv"
    prepare_manifest.main([], str(manifest), config)
    utterances, trials = COUNTS[name]
    assert len(read_manifests([manifest])) == utterances
    for gender, counts in trials.items():
        prepare_trials.main([], [str(manifest)], str(tmp_path / "trials.tsv"), gender, config)
        target = read_table(tmp_path / "trials.tsv")["target"]
        assert (target.sum(), len(target) - target.sum()) == counts
