"""What a study takes, counted by hand."""

from pathlib import Path

import pytest

from scripts.lib.benchmarks import benchmark_patterns
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import checked, load_yaml
from scripts.lib.estimate import Estimate, report
from scripts.lib.workload import workload_of
from tests.unit.test_benchmarks import write as write_benchmark

CONFIG = Path("config").resolve()
THROUGHPUT = {
    "machine": "made up",
    "rules": {
        "anonymize_shard": {"unit": "audio_h", "unit_s": {"mcadams": 100, "other": 7}},
        "train_asv": {"unit": "epoch_h", "start_s": 5, "unit_s": {"other": 10}, "disk_mb": 3},
        "score_trials": {"unit": "trial", "start_s": 0, "unit_s": {"other": 2}},
        "synthesize_shard": {"unit": "audio_h", "unit_s": {"chain": 60, "other": 7}},
        "train_vocoder": {"unit": "update", "start_s": 3, "unit_s": {"other": 0.5}},
        "other": {"start_s": 4},
    },
}
HOUR = {"subsets": {"train": "speech"}, "shards": 4, "parts": 2}


@pytest.fixture
def estimate(tmp_path, monkeypatch):
    """Two hours of listed speech in 4 shards, in a folder without results."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "corpora" / "speech"
    folder.mkdir(parents=True)
    names = [f"u{number:03d}" for number in range(720)]
    (folder / "wav.scp").write_text("".join(f"{name} {name}.wav\n" for name in names))
    (folder / "utt2dur").write_text("".join(f"{name} 10.0\n" for name in names))
    (folder / "trials").write_text("s1 u000 target\ns1 u001 nontarget\n")
    model = {"backend": "ecapa", "training_data": ["mine"], "epochs": 3}
    config = {
        **load_yaml(CONFIG / "config.yaml"),
        "datasets": {"mine": HOUR, "packed": {**HOUR, "format": "flac", "keep_audio": False}},
        "asv": {"small": {**load_yaml(CONFIG / "asv/ecapa_demo.yaml"), **model}},
    }
    throughput = checked(THROUGHPUT, load_yaml(CONFIG / "schemas/throughput.schema.yaml"), "x")
    return Estimate(Catalogue(CONFIG, config), str(tmp_path / "corpora"), throughput)


def test_a_shard_takes_its_part_of_the_hours(estimate):
    job = {"system": "b2", "dataset": "mine", "shard": "001"}
    cost = estimate.cost("anonymize_shard", job)
    # Half an hour of 16 kHz, 16 bit; a second to start, and 100 s per hour.
    assert cost.cpu_s == pytest.approx(1 + 50)
    assert cost.disk_mb == pytest.approx(0.5 * 3600 * 32_000 / 1e6)
    assert estimate.cost("anonymize_shard", {**job, "system": "orig"}).cpu_s == 1 + 3.5
    packed = estimate.cost("anonymize_shard", {**job, "dataset": "packed"})
    assert (packed.disk_mb, packed.passing_mb) == (0, pytest.approx(0.55 * cost.disk_mb))


def test_training_takes_hours_times_epochs_and_scores_take_trials(estimate):
    model = {"asv": "small", "trained_on": "b2", "seed": "0"}
    assert estimate.cost("train_asv", model).cpu_s == pytest.approx(5 + 10 * 2 * 3)
    scores = {"asv": "small", "dataset": "mine", "gender": "f"}
    assert estimate.cost("score_trials", scores).cpu_s == 2 * 2 / 2
    assert estimate.cost("make_table", {"study": "x"}).cpu_s == 4


def test_a_chain_takes_hours_to_speak_and_updates_to_train(estimate):
    job = {"system": "b1", "dataset": "mine", "shard": "001"}
    cost = estimate.cost("synthesize_shard", job)
    assert cost.cpu_s == pytest.approx(1 + 30)
    assert cost.disk_mb == pytest.approx(0.5 * 3600 * 32_000 / 1e6)
    assert estimate.cost("synthesize_passing_shard", job) == cost
    updates = load_yaml(CONFIG / "vocoder/source_filter_small.yaml")["updates"]
    vocoder = estimate.cost("train_vocoder", {"vocoder": "source_filter_small"})
    assert vocoder.cpu_s == pytest.approx(3 + 0.5 * updates)


def test_earlier_jobs_count_more_than_defaults(estimate, tmp_path):
    place = tmp_path / "results" / "benchmarks" / "anonymize_shard" / "b2" / "mine" / "000.tsv"
    write_benchmark(place, 21.0, 21.0)
    job = {"system": "b2", "dataset": "packed", "shard": "001"}
    cost = estimate.cost("anonymize_shard", job)
    assert (cost.cpu_s, cost.origin) == (pytest.approx(21), "1 jobs before")
    assert estimate.cost("anonymize_shard", {**job, "system": "d1"}).origin == "default"


def test_the_report_adds_up(estimate):
    shards = [("anonymize_shard", {"system": "b2", "dataset": "mine", "shard": "000"})] * 4
    text = report([*shards, ("make_table", {"study": "x"})], estimate, cores=2)
    assert "5 jobs, 3.5 min of CPU: at least 1.7 min on 2 cores." in text
    assert "0.2 GB of disk stay, 0.0 GB pass" in text
    assert report([], estimate, cores=2) == "Nothing is left to do."


def test_embedded_corpora_are_counted_from_their_plan():
    catalogue = Catalogue(CONFIG, load_yaml(CONFIG / "config.yaml"))
    entry = catalogue["datasets"]["synth_test"]
    load = workload_of("synth_test", entry, catalogue["synthetic"], "none", "none")
    # 7 speakers per gender of 26 utterances, of whom 5 enrol 6 each.
    assert load.utterances == 2 * 7 * 26
    assert load.trials == 2 * 5 * (5 * 20 + 2 * 26)


def test_every_rule_with_a_script_has_a_benchmark_pattern():
    patterns = benchmark_patterns("rules", "results/benchmarks")
    assert set(patterns) == {path.stem for path in Path("scripts").glob("[a-z]*.py")}
    assert patterns["score_trials"].endswith("{dataset}/{gender}.tsv")


def test_the_committed_times_are_valid():
    schema = load_yaml(CONFIG / "schemas/throughput.schema.yaml")
    rules = checked(load_yaml(CONFIG / "throughput.yaml"), schema, "throughput")["rules"]
    assert set(rules) - {"other"} <= {path.stem for path in Path("scripts").glob("*.py")}
