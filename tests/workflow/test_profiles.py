"""Profiles name rules that exist, and the one for other schedulers differs only where it must."""

import re
from pathlib import Path

import pytest
from snakemake.profiles import ProfileConfigFileParser

RULES = "\n".join(path.read_text() for path in Path("rules").glob("*.smk"))
NAMES = set(re.findall(r"^rule (\w+):|^use rule \w+ as (\w+)", RULES, flags=re.M))
CLUSTERS = ("slurm", "cluster-generic")
OF_A_SITE = ("BENCH_JOBS", "BENCH_CORES", "BENCH_GPUS", "BENCH_ACCOUNT", "BENCH_PARTITION")


def read_profile(name) -> dict:
    with Path("profiles", name, "profile.yaml").open() as stream:
        return ProfileConfigFileParser().parse(stream)


@pytest.fixture(autouse=True)
def no_site(monkeypatch):
    for name in (*OF_A_SITE, "BENCH_GPU_PARTITION"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", CLUSTERS)
def test_rules_that_a_profile_names_exist(name):
    profile = read_profile(name)
    rules = {name for pair in NAMES for name in pair if name}
    assert {entry.split("=")[0] for entry in profile["groups"]} <= rules
    groups = {entry.split("=")[1] for entry in profile["groups"]}
    assert {entry.split("=")[0] for entry in profile["group-components"]} == groups
    bodies = re.split(r"^rule ", RULES, flags=re.M)[1:]
    on_gpus = {body.split(":")[0] for body in bodies if re.search(r"^ +gpu=", body, flags=re.M)}
    assert {entry.split(":")[0] for entry in profile["set-resources"]} == on_gpus


def test_clusters_share_what_is_not_about_the_scheduler():
    default, slurm, generic = map(read_profile, ("default", *CLUSTERS))
    for key in ("groups", "group-components", "set-resources", "retries", "latency-wait", "cores"):
        assert slurm[key] == generic[key], key
    for key in default.keys() - {"cores", "resources"}:
        assert slurm[key] == generic[key] == default[key], key


def test_a_site_sets_its_names_in_the_environment(monkeypatch):
    assert not any("slurm" in entry for entry in read_profile("slurm")["default-resources"])
    for name, value in zip(OF_A_SITE, ("7", "16", "0", "1234", "long"), strict=True):
        monkeypatch.setenv(name, value)
    profile = read_profile("slurm")
    assert (profile["jobs"], profile["cores"]) == ("7", "16")
    assert {"slurm_account='1234'", "slurm_partition=long"} <= set(profile["default-resources"])
    assert all(entry.endswith(":gpu=0") for entry in profile["set-resources"])
    monkeypatch.setenv("BENCH_GPU_PARTITION", "accelerated")
    assert "train_asv:slurm_partition=accelerated" in read_profile("slurm")["set-resources"]
