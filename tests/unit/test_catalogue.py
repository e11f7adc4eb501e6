import re
from pathlib import Path

import pytest

from scripts.lib.catalogue import KINDS, Catalogue
from scripts.lib.configuration import ConfigurationError, load_yaml

CONFIG = Path("config")
MAIN = load_yaml(CONFIG / "config.yaml")
STUDY = {"title": "t", "datasets": {}, "systems": ["b2"]}
FORGETFUL = load_yaml(CONFIG / "content" / "e2e_adversarial_small.yaml")


def test_every_committed_entry_is_valid():
    catalogue = Catalogue(CONFIG, MAIN)
    for kind in KINDS:
        assert set(catalogue[kind]) == {file.stem for file in (CONFIG / kind).glob("*.yaml")}


def test_every_kind_has_a_schema_that_describes_each_property():
    def properties(schema):
        for name, rule in schema.get("properties", {}).items():
            yield name, rule
            yield from properties(rule)
            yield from properties(rule.get("items", {}))
        for branch in schema.get("allOf", []):
            yield from properties(branch.get("then", {}))

    for kind in (*KINDS, "config", "display"):
        schema = load_yaml(CONFIG / "schemas" / f"{kind}.schema.yaml")
        closed = [schema.get(f"{word}Properties") for word in ("additional", "unevaluated")]
        assert False in closed, f"{kind} accepts unknown keys"
        for name, rule in properties(schema):
            described = "description" in rule or name == "params"
            assert described, f"{kind}: {name} has no description"


def test_patterns_match_whole_names_only():
    pattern = Catalogue(CONFIG, MAIN).pattern("systems")
    assert re.fullmatch(pattern, "b2_2024")
    assert not re.fullmatch(pattern, "b2_2025")


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"study": "nothing"}, "config, study: no studies entry 'nothing'"),
        ({"studdy": "demo"}, "config: unknown key 'studdy'"),
        (
            {"datasets": {"x": {"subsets": {"train": "x"}, "shards": 2, "parts": 3}}},
            "dataset x: 3 parts of 2 shards",
        ),
        (
            {"content": {"x": FORGETFUL | {"training_data": ["gone"]}}},
            "content x, training_data: no datasets entry 'gone'",
        ),
        (
            {"content": {"x": FORGETFUL | {"initialise_from": "gone"}}},
            "content x, initialise_from: no content entry 'gone'",
        ),
        (
            {"content": {"x": FORGETFUL | {"initialise_from": "tdnnf_small"}}},
            "content x, initialise_from: has to name an entry with backend e2e_bottleneck",
        ),
        (
            {"content": {"x": FORGETFUL | {"initialise_from": "e2e_plan"}}},
            "content x, initialise_from: e2e_plan has another `network`; make both equal",
        ),
        (
            {"studies": {"x": STUDY | {"probes": ["gone"]}}},
            "study x, probes: no datasets entry 'gone'",
        ),
        (
            {"studies": {"x": STUDY | {"checks": ["leakage"]}}},
            "study x, checks: leakage needs a chain system",
        ),
        (
            {"studies": {"x": STUDY | {"lms": ["gone"]}}},
            "study x, lms: no lm entry 'gone'",
        ),
        (
            {"studies": {"x": STUDY | {"pools": {"synth_dev": ["synth_dev", "synth_test"]}}}},
            "study x, pools.synth_dev: the name stands for ['synth_dev'] already",
        ),
        (
            {"studies": {"x": STUDY | {"asr": "wav2vec2_vpc2024", "lms": ["synth_trigram"]}}},
            "study x, lms: wav2vec2_vpc2024 needs language models if it is trained here, and takes",
        ),
        (
            {"studies": {"x": STUDY | {"asr": "ctc_demo"}}},
            "study x, lms: ctc_demo needs language models",
        ),
        (
            {"asr": {"x": {"backend": "wav2vec2", "model": "a/b", "encoder": "c/d", "epochs": 3}}},
            "config, asr.x: unknown key 'epochs'",
        ),
        (
            {"lm": {"x": {"training_data": ["synth_train"]}}},
            "config, lm.x: lacks the key 'order'",
        ),
        (
            {"studies": {"x": {"title": "t", "datasets": {}, "systems": ["b99"]}}},
            "study x, systems: no systems entry 'b99'",
        ),
        (
            {"studies": {"x": {"title": "t", "datasets": {"test": ["gone"]}, "systems": ["b2"]}}},
            "study x, datasets.test: no datasets entry 'gone'",
        ),
        (
            {
                "studies": {
                    "x": {
                        "title": "t",
                        "datasets": {"test": ["synth_test"]},
                        "systems": ["b2"],
                        "tables": ["table_03"],
                    }
                }
            },
            "study x: the metric eer needs the key 'asv'",
        ),
        ({"datasets": {"x": {"subsets": {"trails_f": "d"}}}}, "unknown key 'trails_f'"),
        (
            {"datasets": {"x": {"subsets": {"train": "d"}, "corpus": "no"}}},
            "no synthetic entry 'no'",
        ),
        ({"systems": {"my system": {"method": "identity"}}}, "'my system' cannot be a name"),
    ],
)
def test_wrong_references_are_named(extra, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        Catalogue(CONFIG, {**MAIN, **extra})


def test_a_table_needs_each_file_once_and_orig_from_original_speech_only():
    files = Catalogue(CONFIG, MAIN).table_inputs("demo", "table_03")
    base = "<results>/metrics/privacy/ecapa_demo"
    assert files == [
        f"{base}/original/0/orig/synth_test.tsv",
        f"{base}/ignorant/0/b2/synth_test.tsv",
        f"{base}/ignorant/0/b2_2024/synth_test.tsv",
        f"{base}/lazy_informed/0/b2/synth_test.tsv",
        f"{base}/lazy_informed/0/b2_2024/synth_test.tsv",
    ]


def test_seeds_of_a_study_multiply_the_attackers_only():
    study = {
        "title": "t",
        "datasets": {"test": ["synth_test"], "emotion": ["synth_emotion"]},
        "systems": ["b2", "orig"],
        "asv": "ecapa_demo",
        "ser": "ser_demo",
        "seeds": [3, 4],
    }
    catalogue = Catalogue(CONFIG, {**MAIN, "studies": {"x": study}})
    assert len(catalogue.table_inputs("x", "table_11")) == 4
    assert len(catalogue.table_inputs("x", "table_2024_08")) == 2
    # Columns stand in the printed order, not in the order of the file.
    config = catalogue.report_config("x", "tables", "table_11")
    assert config["study"]["systems"] == ["orig", "b2"]


OWN = {
    "external": {"audio": {"synth_test": "anonymized"}},
    "command": {"command": "my_program {inputs} {outputs}"},
    "python": {"function": "package.module:function"},
}


@pytest.mark.parametrize("method", OWN)
def test_a_system_of_the_user_s_needs_one_setting(method):
    entry = {"method": method, "params": OWN[method]}
    catalogue = Catalogue(CONFIG, {**MAIN, "systems": {"mine": entry}})
    assert catalogue["systems"]["mine"]["level"] == "speaker"


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("external", {}, "params: lacks the key 'audio'"),
        ("external", {"audio": "anonymized"}, "params.audio: expected object"),
        ("external", {"audio": {}}, "params.audio: "),
        ("external", {"match": "stem"}, "params.match: 'stem' is not one of"),
        ("external", {"tolerance_s": -1}, "params.tolerance_s: -1 is less than"),
        ("command", {"command": "my_program"}, "params.command: 'my_program' does not match"),
        ("command", {"environment": {"GPU": 1}}, "params.environment.GPU: expected string"),
        ("command", {"timeout_s": 0}, "params.timeout_s: "),
        ("command", {"retires": 1}, "params: unknown key 'retires'; known keys: command, "),
        ("python", {"function": "module.function"}, "params.function: 'module.function' does not"),
        ("python", {"files": "weights.pt"}, "params.files: expected array"),
    ],
)
def test_mistakes_in_a_system_of_the_user_s_are_named(method, params, message):
    entry = {"method": method, "params": {**OWN[method], **params} if params else {}}
    with pytest.raises(ConfigurationError, match=re.escape(f"config, systems.mine: {message}")):
        Catalogue(CONFIG, {**MAIN, "systems": {"mine": entry}})


def test_distinctiveness_needs_matrices_of_models_of_original_speech():
    files = Catalogue(CONFIG, MAIN).table_inputs("demo", "table_09")
    base = "<results>/metrics/similarity/ecapa_demo/orig/0"
    assert files == [f"{base}/b2/synth_test.tsv", f"{base}/b2_2024/synth_test.tsv"]


def test_figures_name_the_scores_and_matrices_they_show():
    catalogue = Catalogue(CONFIG, MAIN)
    files = catalogue.figure_inputs("demo", "figure_04")
    assert files[0] == "<results>/scores/ecapa_demo/original/0/orig/synth_test/m.tsv"
    assert len(files) == 1 + 2 * 2
    assert len(catalogue.report_config("demo", "figures", "figure_04")["drawn"]) == len(files)
    assert catalogue.figure_inputs("demo", "figure_12") == [
        f"<results>/similarity/ecapa_demo/{model}/0/{system}/synth_test/f.npz"
        for model, system in (
            ("orig", "b2"),
            ("orig", "b2_2024"),
            ("b2", "b2"),
            ("b2_2024", "b2_2024"),
        )
    ]


def test_a_figure_of_a_dataset_that_a_study_lacks_is_an_error():
    with pytest.raises(
        ConfigurationError, match=r"has 1 datasets of the role test, but .* number 2"
    ):
        Catalogue(CONFIG, MAIN).figure_inputs("demo", "figure_05")


def test_published_values_have_no_scores():
    with pytest.raises(ConfigurationError, match="needs files of scores, which published values"):
        Catalogue(CONFIG, MAIN).figure_inputs("published", "figure_03")


def test_a_published_study_may_only_name_what_has_a_printed_name():
    study = {"title": "t", "source": "published", "datasets": {}, "systems": ["z9"]}
    with pytest.raises(ConfigurationError, match="study x: 'z9' has no printed name"):
        Catalogue(CONFIG, {**MAIN, "studies": {"x": study}})


def test_an_attacker_that_meets_few_systems_leaves_columns_out():
    config = Catalogue(CONFIG, MAIN).report_config("published", "tables", "table_11")
    assert config["systems"] == ["orig", "b1", "b2", "o1", "m1", "s2", "k2"]
    assert config["absent"] == []


def test_a_table_asks_for_what_shows_its_attackers_strength():
    catalogue = Catalogue(CONFIG, MAIN)
    evidence = catalogue.table_evidence("demo", "table_11")
    assert "<results>/metrics/privacy/ecapa_demo/original/0/orig/synth_test.tsv" in evidence
    assert "<results>/metrics/privacy/ecapa_demo/lazy_informed/0/b2/synth_test.tsv" in evidence
    assert not [path for path in evidence if "/ignorant/" in path]
    assert [path for path, _ in catalogue.table_curves("demo", "table_11")] == [
        f"<results>/asv/ecapa_demo/{system}/0/curve.tsv" for system in ("b2", "b2_2024")
    ]
    assert [path for path, _ in catalogue.table_curves("demo", "table_03")] == [
        "<results>/asv/ecapa_demo/orig/0/curve.tsv"
    ]
    assert catalogue.table_curves("demo", "table_2024_07") == []
    assert catalogue.targets("demo")[-1] == "<results>/demo/attackers.md"
    assert "<results>/published/attackers.md" not in catalogue.targets("published")


def test_word_error_rates_by_language_model_training_and_pool():
    study = STUDY | {
        "datasets": {"dev": ["synth_dev"], "test": ["synth_test"]},
        "systems": ["orig", "b2"],
        "asr": "ctc_demo",
        "lms": ["synth_trigram", "digits_trigram"],
        "pools": {"synth": ["synth_dev", "synth_test"]},
        "tables": ["table_asr_anon"],
    }
    catalogue = Catalogue(CONFIG, MAIN | {"studies": {"x": study}})
    assert catalogue.pools["synth"] == ["synth_dev", "synth_test"]
    assert sorted(catalogue.table_inputs("x", "table_asr_anon")) == [
        f"<results>/metrics/wer/ctc_demo/{heard}/0/{lm}/{system}/synth.tsv"
        for heard, lm, system in [
            ("b2", "digits_trigram", "b2"),
            ("b2", "synth_trigram", "b2"),
            ("orig", "digits_trigram", "b2"),
            ("orig", "digits_trigram", "orig"),
            ("orig", "synth_trigram", "b2"),
            ("orig", "synth_trigram", "orig"),
        ]
    ]


def test_a_recogniser_of_others_has_no_language_model():
    study = STUDY | {
        "datasets": {"test": ["synth_test"]},
        "asr": "wav2vec2_vpc2024",
        "tables": ["table_2024_07"],
    }
    catalogue = Catalogue(CONFIG, MAIN | {"studies": {"x": study}})
    assert catalogue.table_inputs("x", "table_2024_07") == [
        "<results>/metrics/wer/wav2vec2_vpc2024/orig/0/none/b2/synth_test.tsv"
    ]
