"""After a change, exactly what depends on it is made anew."""

import os
import time

import pytest

pytestmark = pytest.mark.slow
PRINTED = {"make_table", "make_figure", "report_attackers", "record_run", "all"}


def planned(checkout):
    return checkout.planned("--configfile", "tiny.yaml")


def test_a_finished_study_has_nothing_to_do(finished):
    assert planned(finished) == []


def test_what_jobs_took_reruns_nothing(copy_of_finished):
    for path in (copy_of_finished.folder / "results" / "benchmarks").rglob("*.tsv"):
        path.write_text(path.read_text().replace("0", "1"))
    assert planned(copy_of_finished) == []


def test_touching_files_reruns_nothing(copy_of_finished):
    later = time.time() + 5
    for name in (
        "scripts/lib/audio.py",
        "scripts/score_trials.py",
        "config/systems/b2.yaml",
        "Snakefile",
    ):
        os.utime(copy_of_finished.folder / name, (later, later))
    for path in (copy_of_finished.folder / "results" / "scores").rglob("*.tsv"):
        os.utime(path, (later, later))
    assert planned(copy_of_finished) == []


def test_a_system_s_entry_reruns_that_system_only(copy_of_finished):
    copy_of_finished.edit("config/systems/b2.yaml", "alpha: 0.8", "alpha: 0.7")
    jobs = planned(copy_of_finished)
    assert {job["rule"] for job in jobs} >= {"anonymize_shard", "train_asv", "decode_speech"}
    for job in jobs:
        involved = {job.get("system"), job.get("trained_on")} - {None}
        assert "b2" in involved or job["rule"] in PRINTED, job
        assert "b2_2024" not in involved, job


def test_key_order_and_comments_in_an_entry_rerun_nothing(copy_of_finished):
    path = copy_of_finished.folder / "config/systems/b2.yaml"
    path.write_text("params: {skip_first_frame: true, alpha: 0.8}  # why\nmethod: mcadams\n")
    assert planned(copy_of_finished) == []


def test_labels_rerun_tables_and_figures_only(copy_of_finished):
    copy_of_finished.edit("config/display.yaml", "b2: B2", "b2: McAdams")
    assert {job["rule"] for job in planned(copy_of_finished)} == PRINTED


def test_a_library_module_reruns_the_rules_that_import_it(copy_of_finished):
    copy_of_finished.edit(
        "scripts/lib/emotions.py", "import numpy", "import numpy as _n\nimport numpy"
    )
    rules = {job["rule"] for job in planned(copy_of_finished)}
    assert rules == {
        "train_ser",
        "recognize_emotion",
        "compute_uar",
        "make_table",
        "record_run",
        "all",
    }


def test_a_method_s_module_reruns_the_systems_that_use_it(copy_of_finished):
    path = copy_of_finished.folder / "scripts/lib/systems/mcadams.py"
    path.write_text(path.read_text() + "\n# changed\n")
    jobs = [job for job in planned(copy_of_finished) if job["rule"] == "anonymize_shard"]
    assert {job["system"] for job in jobs} == {"b2", "b2_2024"}


def test_the_log_format_reruns_nothing(copy_of_finished):
    path = copy_of_finished.folder / "scripts/lib/joblog.py"
    path.write_text(path.read_text() + "\n# changed\n")
    assert planned(copy_of_finished) == []


def test_package_versions_rerun_what_runs_under_them(copy_of_finished):
    path = copy_of_finished.folder / "envs/torch.lock.txt"
    path.write_text(path.read_text() + "extra==1.0\n")
    rules = {job["rule"] for job in planned(copy_of_finished)}
    assert "train_asv" in rules
    assert not rules & {"anonymize_shard", "synthesize_corpus"}
