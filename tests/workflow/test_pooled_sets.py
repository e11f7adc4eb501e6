"""The sets of the study `pooled` have the sizes that the corpora promise."""

from pathlib import Path

import pytest

from scripts import build_legal_sets, prepare_manifest
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.manifest import read_table

CORPORA = Path("../shared/corpora")


@pytest.mark.skipif(not CORPORA.is_dir(), reason=f"no prepared corpora in {CORPORA}")
def test_pooled_speakers_say_other_things_in_set_a_than_in_set_b(tmp_path):
    catalogue = Catalogue("config", load_yaml("config/config.yaml"))
    protocol = catalogue["legal"]["pooled"]
    manifests = []
    for name in protocol["set_a"]:
        (tmp_path / name).mkdir()
        manifests.append(str(tmp_path / name / "manifest.tsv"))
        config = {**catalogue["datasets"][name], "folder": str(CORPORA)}
        prepare_manifest.main([], manifests[-1], config)
    build_legal_sets.main(manifests, str(tmp_path / "sets.tsv"), protocol)
    sets = read_table(tmp_path / "sets.tsv")
    assert sets["utterance"].is_unique
    parts = {name: sets[sets["set"] == name] for name in "ab"}
    # 26 and 40 speakers with trials, and 251 with one clip; enrolment has four utterances each.
    assert parts["a"]["speaker"].nunique() == 26 + 40 + 251
    assert len(parts["a"]) == 2 * (48 + 72) + (57 + 84) + (66 + 85) + 251
    assert parts["b"]["speaker"].nunique() == 26 + 40
    assert len(parts["b"]) == 4 * 66
    assert set(parts["b"]["speaker"]) < set(parts["a"]["speaker"])
    # No speaker of the attacker's training is in a set.
    training = catalogue["asv"]["ecapa_pooled"]["training_data"]
    assert not set(training) & {*protocol["set_a"], *protocol["set_b"]}
