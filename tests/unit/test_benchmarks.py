import pytest

from scripts.lib.benchmarks import of_study, path_form, read_jobs, summarize

HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def write(path, s, cpu_s, mb="100.0"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEAD}{s}\t0:00:01\t{mb}\t1\t1\t1\t1\t1\t1\t{cpu_s}\n")


def test_jobs_are_found_by_the_rules_patterns(tmp_path):
    write(tmp_path / "embed" / "orig" / "b2" / "000.tsv", 4.0, 6.0)
    write(tmp_path / "embed" / "orig" / "b2" / "stray.txt", 4.0, 6.0)
    write(tmp_path / "embed" / "too_short.tsv", 4.0, 6.0)
    write(tmp_path / "read.tsv", 1.0, "NA", mb="NA")
    patterns = {
        "embed": rf"{tmp_path}/embed/{{trained_on}}/{{system,b1|b2}}/{{part,\d{{3}}}}.tsv",
        "derived": f"{tmp_path}/embed/{{trained_on}}/{{system}}/{{part}}.tsv",
        "read": f"{tmp_path}/read.tsv",
        "never_run": f"{tmp_path}/never/{{system}}.tsv",
    }
    assert list(read_jobs(patterns)) == [
        {
            "rule": "embed",
            "wildcards": {"trained_on": "orig", "system": "b2", "part": "000"},
            "s": 4.0,
            "cpu_s": 6.0,
            "mb": 100.0,
        },
        {"rule": "read", "wildcards": {}, "s": 1.0, "cpu_s": 0.0, "mb": 0.0},
    ]


def test_a_wildcard_named_twice_has_one_value():
    form = path_form("{system}/{dataset}/{system}.tsv")
    assert form.fullmatch("b2/test/b2.tsv")
    assert not form.fullmatch("b2/test/b1.tsv")


def test_jobs_of_other_studies_are_left_out():
    job = {"wildcards": {"system": "b2", "dataset": "x", "shard": "000"}}
    assert of_study(job, {"system": ["b2"], "dataset": ["x", "y"]})
    assert not of_study(job, {"system": ["b1"], "dataset": ["x", "y"]})


def test_time_and_memory_are_summed_by_rule_and_system():
    jobs = [
        {"rule": "embed", "wildcards": {"system": "b2"}, "s": 10.0, "cpu_s": 15.0, "mb": 50.0},
        {"rule": "embed", "wildcards": {"system": "b2"}, "s": 30.0, "cpu_s": 45.0, "mb": 40.0},
        {"rule": "embed", "wildcards": {"system": "b1"}, "s": 1.0, "cpu_s": 0.5, "mb": 1.0},
        {"rule": "train", "wildcards": {"trained_on": "b2"}, "s": 0.0, "cpu_s": 0.0, "mb": 0.0},
    ]
    table = summarize(jobs).set_index(["rule", "system"])
    expected = {"jobs": 2, "wall_s": 40.0, "cpu_s": 60.0, "cores": 1.5, "longest_s": 30.0}
    assert table.loc["embed", "b2"].to_dict() == pytest.approx({**expected, "peak_mb": 50.0})
    assert table["jobs"].tolist() == [2, 1, 1]
    assert summarize([]).empty
