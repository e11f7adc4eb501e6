import pandas as pd
import pytest

from scripts.lib.catalogue import Catalogue
from scripts.lib.comparison import Comparison
from scripts.lib.configuration import load_yaml
from scripts.lib.published import read_vpc2020, read_vpc2020_plan, read_vpc2024

CATALOGUE = Catalogue("config", load_yaml("config/config.yaml"))
FOLDER = "config/published"


@pytest.fixture(scope="module")
def published():
    return pd.concat(
        [
            read_vpc2020(f"{FOLDER}/vpc2020_privacy.csv", f"{FOLDER}/vpc2020_trials.csv"),
            read_vpc2024(f"{FOLDER}/vpc2024_baselines.csv"),
        ]
    )


def config_of(**counterparts):
    config = CATALOGUE.comparison_config("demo", "table_03")
    return {**config, "counterparts": counterparts}


def cell(**changes):
    # Table 3 prints 25.91 % for B2 and the ignorant attacker, LibriSpeech-test, female.
    base = {
        "metric": "eer",
        "attacker": "ignorant",
        "system": "b2",
        "dataset": "libri_test",
        "gender": "f",
        "value": "0.27",
        "low": "0.25",
        "high": "0.29",
    }
    return {**base, **changes}


def test_difference_and_place_in_the_interval(published):
    cells = [cell(), cell(gender="m", value="0.3", low="0.28", high="0.32"), cell(low="", high="")]
    found = Comparison(config_of(), pd.DataFrame(cells), published)
    assert found.rows["inside"].tolist() == ["yes", "no", "no interval"]
    assert found.rows["published"].tolist() == pytest.approx([0.2591, 0.1782, 0.2591])
    assert found.rows["difference"][0] == pytest.approx(0.27 - 0.2591)
    text = found.markdown()
    assert "27.00 | 25.00 to 29.00 | 25.91     | +1.09" in text
    assert "3 of 3 cells have a published counterpart: 1 lie inside our interval, 1 outside" in text


def test_what_has_no_counterpart_is_said(published):
    cells = pd.DataFrame([cell(), cell(system="b2_2024"), cell(dataset="synth_test")])
    text = Comparison(config_of(), cells, published).markdown()
    assert "1 of 3 cells" in text
    assert "No published values of the datasets Synth-test." in text
    assert "No published values of the systems B2-2024." in text


def test_nothing_to_compare_is_said(published):
    found = Comparison(config_of(), pd.DataFrame([cell(dataset="synth_test")]), published)
    assert found.rows.empty
    assert (
        "Nothing matches: no published value belongs to the datasets Synth-test" in found.markdown()
    )


def test_a_study_may_declare_counterparts(published):
    cells = pd.DataFrame([cell(dataset="synth_test", system="b2_2024")])
    config = config_of(datasets={"synth_test": "libri_test"}, systems={"b2_2024": "b2"})
    found = Comparison(config, cells, published)
    assert found.rows["published"].tolist() == pytest.approx([0.2591])
    assert "Synth-test with LibriSpeech-test" in found.markdown()


def test_word_error_rates_are_compared_per_language_model():
    printed = read_vpc2020_plan(f"{FOLDER}/vpc2020_plan_wer.csv", "11")
    words = {"metric": "wer", "gender": "", "attacker": "", "trained_on": "orig"}
    cells = [
        cell(**words, lm="tgsmall", dataset="vctk_test", value="0.3"),
        cell(**words, lm="tglarge", dataset="vctk_test", value="0.3"),
        cell(**words, lm="own_trigram", dataset="vctk_test", value="0.3"),
        cell(**{**words, "trained_on": "b2"}, lm="tglarge", dataset="vctk_test", value="0.3"),
    ]
    found = Comparison(config_of(), pd.DataFrame(cells), printed)
    assert found.rows["published"].tolist() == pytest.approx([0.3325, 0.2822])
    assert "| WER    | small | VCTK-test |" in found.markdown()
    config = config_of(lms={"own_trigram": "large"})
    found = Comparison(config, pd.DataFrame(cells[2:3]), printed)
    assert found.rows["published"].tolist() == pytest.approx([0.2822])


def test_tables_of_2024_are_compared_too(published):
    cells = [
        cell(metric="wer", system="b2_2024", gender="", attacker="", value="0.1"),
        cell(
            metric="eer_interpolated",
            attacker="semi_informed",
            system="b2_2024",
            gender="average",
            value="0.06",
        ),
        {
            **cell(metric="uar", system="orig", dataset="iemocap", gender="", attacker=""),
            "subset": "dev",
        },
    ]
    found = Comparison(config_of(), pd.DataFrame(cells), published).rows
    assert found["published"].tolist() == pytest.approx([0.1041, 0.052, 0.6908])
