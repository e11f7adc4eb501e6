"""Prepared corpora load by their YAML entries alone."""

from pathlib import Path

import pandas as pd
import pytest

from scripts import prepare_manifest, prepare_trials
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.emotions import fold_of, read_emotional, uar, uar_interval
from scripts.lib.manifest import read_manifests, read_table
from scripts.lib.models import prosody_kernel

CORPORA = Path("../shared/corpora")
# Published counts: utterances, then target and nontarget trials of women and men.
COUNTS = {
    "digits60_test": (172, {"f": (48, 144), "m": (72, 576)}),
    "digits60_dev": (172, {"f": (48, 144), "m": (72, 576)}),
    "an4_test": (231, {"f": (66, 462), "m": (85, 935)}),
    "an4_dev": (221, {"f": (57, 399), "m": (84, 924)}),
    "digits60_train": (272, {}),
    "an4_train": (559, {}),
    "emodb": (291, {}),
    "ravdess": (378, {}),
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


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"no prepared corpora in {CORPORA}")
@pytest.mark.parametrize(
    ("name", "folds", "first"), [("emodb", 5, (177, 46, 68)), ("ravdess", 12, (318, 32, 28))]
)
def test_folds_of_emotion_corpora_are_those_of_their_lists(name, folds, first, tmp_path):
    entry = Catalogue("config", load_yaml("config/config.yaml"))["datasets"][name]
    manifest = tmp_path / "manifest.tsv"
    prepare_manifest.main([], str(manifest), {**entry, "folder": str(CORPORA)})
    table = read_emotional([manifest], folds)
    assert tuple(map(len, fold_of(table, 1))) == first
    tested = [number for fold in range(1, folds + 1) for number in fold_of(table, fold).test]
    assert sorted(tested) == list(range(len(table)))


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"no prepared corpora in {CORPORA}")
@pytest.mark.parametrize(("name", "at_least"), [("emodb", 0.75), ("ravdess", 0.60)])
def test_emotion_is_recognised_above_chance_in_every_fold(name, at_least, tmp_path):
    catalogue = Catalogue("config", load_yaml("config/config.yaml"))
    entry, config = catalogue["datasets"][name], catalogue["ser"]["prosody"]
    manifest = tmp_path / "manifest.tsv"
    prepare_manifest.main([], str(manifest), {**entry, "folder": str(CORPORA)})
    table = read_emotional([manifest], entry["folds"])
    recordings = prosody_kernel.Recordings(table, config)
    parts = []
    for number in range(1, entry["folds"] + 1):
        fold = fold_of(table, number)
        training = prosody_kernel.Training(recordings, fold, config, seed=0)
        training.run_epoch(1)
        predicted = prosody_kernel.classify(recordings, fold.test, training.model(), config)
        parts.append(table.iloc[fold.test].assign(predicted=predicted))
        low, _ = uar_interval(parts[-1], replicates=1000, seed=0)
        assert low > 0.25, f"fold {number}"
    assert uar(pd.concat(parts)) > at_least
