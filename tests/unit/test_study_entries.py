from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.study_entries import entries_of

CATALOGUE = Catalogue("config", load_yaml("config/config.yaml"))


def test_a_study_s_models_bring_their_training_data():
    used = entries_of("demo", CATALOGUE)
    assert set(used["systems"]) == {"orig", "b2", "b2_2024"}
    assert set(used["asr"]) == {"ctc_demo"}
    assert set(used["lm"]) == {"synth_trigram"}
    assert {"synth_train", "synth_dev", "synth_test", "synth_emotion"} <= set(used["datasets"])
    assert "synth" in used["synthetic"]
    assert used["asv"]["ecapa_demo"] == CATALOGUE["asv"]["ecapa_demo"]


def test_published_values_have_the_study_alone():
    assert list(entries_of("published", CATALOGUE)) == ["studies"]
