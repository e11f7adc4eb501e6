"""A system that comes as scores: tables and figures without any audio."""

import numpy as np
import pytest
import yaml

from scripts.lib.manifest import read_table
from scripts.lib.metrics import eer
from scripts.lib.score_lists import read_score_list

SHIFTS = {"original": 3.0, "ignorant": 0.5, "lazy_informed": 1.0}


@pytest.fixture
def study(checkout):
    """Trial lists of four speakers per gender, and scores of every attack in Kaldi's form."""
    folder = checkout.folder / "handed_in"
    rng = np.random.default_rng(0)
    for gender in "fm":
        pairs = [
            (f"{gender}{enrol}", f"{gender}{test}-{number}", enrol == test)
            for enrol in range(4)
            for test in range(4)
            for number in range(8)
        ]
        lists = folder / f"trials_{gender}"
        lists.mkdir(parents=True)
        labels = (f"{e} {t} {'target' if same else 'nontarget'}" for e, t, same in pairs)
        (lists / "trials").write_text("\n".join(labels) + "\n")
        for attacker, shift in SHIFTS.items():
            scores = (f"{e} {t} {rng.normal(shift * same):.6f}" for e, t, same in pairs)
            path = folder / attacker / f"theirs_{gender}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(scores) + "\n")
    by_scores = {"method": "scores", "params": {"scores": "{attacker}/{dataset}_{gender}.txt"}}
    config = {
        "study": "handed_in",
        "corpora": "handed_in",
        "datasets": {
            "theirs": {
                "audio": False,
                "subsets": {"trials_f": "trials_f", "trials_m": "trials_m"},
            }
        },
        "systems": {"orig": by_scores, "theirs": by_scores},
        "studies": {
            "handed_in": {
                "title": "Handed in",
                "datasets": {"test": ["theirs"]},
                "systems": ["orig", "theirs"],
                "attackers": ["ignorant", "lazy_informed"],
                "tables": ["table_03", "table_05", "table_07"],
                "figures": ["figure_01", "figure_03"],
            }
        },
    }
    (checkout.folder / "scores.yaml").write_text(yaml.safe_dump(config))
    return checkout


@pytest.mark.slow
def test_scores_alone_make_tables_and_figures(study):
    rules = {job["rule"] for job in study.planned("--configfile", "scores.yaml")}
    assert rules == {
        *("prepare_trials", "import_scores", "compute_privacy"),
        *("make_table", "make_figure", "report_attackers", "record_run", "all"),
    }
    study.run("--configfile", "scores.yaml")
    folder = study.folder / "results" / "handed_in"
    cells = read_table(folder / "tables" / "table_03.tsv")
    found = cells[(cells["metric"] == "eer") & (cells["gender"] == "f")]
    for system, attacker in (("orig", "original"), ("theirs", "lazy_informed")):
        scores = read_score_list(study.folder / "handed_in" / attacker / "theirs_f.txt")
        same = scores["enrol"] == scores["test"].str.split("-").str[0]
        expected = eer(scores["score"][same], scores["score"][~same])
        cell = found[(found["system"] == system) & (found["attacker"] == attacker)].iloc[0]
        assert float(cell["value"]) == expected
        assert float(cell["low"]) <= expected <= float(cell["high"])
    assert (folder / "figures" / "figure_03.png").stat().st_size > 0


def test_lists_that_do_not_fit_stop_the_run_with_examples(study):
    path = study.folder / "handed_in" / "ignorant" / "theirs_f.txt"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[2:], "f0 nobody 1.0"]) + "\n")
    target = "results/scores/given/ignorant/0/theirs/theirs/f.tsv"
    done = study.run(target, "--configfile", "scores.yaml", check=False)
    assert done.returncode != 0
    message = "2 of the 128 trials have no score (f0 f0-0, f0 f0-1); 1 of the 127 scored pairs"
    assert message in done.stdout + done.stderr
    assert not (study.folder / target).exists()


def test_what_needs_audio_is_refused(study):
    for target, message in (
        ("results/audio/theirs/theirs/000.tsv", "system theirs: is given as scores"),
        ("results/handed_in/tables/table_09.tex", "no system has what table_09 shows"),
    ):
        done = study.run("--dry-run", target, "--configfile", "scores.yaml", check=False)
        assert done.returncode != 0
        assert message in done.stdout + done.stderr
