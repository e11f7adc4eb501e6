"""What a study would run, without running it."""

from collections import Counter

import pytest

from scripts.lib.configuration import load_yaml


def test_demo_plans_every_job_once(checkout):
    jobs = Counter(job["rule"] for job in checkout.planned("demo"))
    assert jobs["synthesize_corpus"] == 1
    # Three systems x (4 train + 2 dev + 2 test + 1 emotion) shards.
    assert jobs["anonymize_shard"] == 3 * 9
    # One attacker model per kind of speech: original, b2, b2_2024.
    assert jobs["train_asv"] == 3
    # The original model embeds three systems, each other model its own; dev and test.
    # And the crowd, as the four attackers of the legal framework hear it.
    assert jobs["embed_utterances"] == (3 + 1 + 1) * 2 + 4
    assert jobs["compute_singling_out"] == jobs["compute_linkability"] == 4
    # The audio of the crowd, in two systems and two shards each, does not stay.
    assert jobs["synthesize_passing_corpus"] == 1
    assert jobs["anonymize_passing_shard"] == 2 * 2
    # O-O, and three attackers on two systems; two genders, two datasets.
    assert jobs["score_trials"] == (1 + 2 * 3) * 2 * 2
    assert jobs["train_asr"] == jobs["train_ser"] == jobs["estimate_lm"] == 1
    # Matrices of two systems, two genders, two datasets, by the model of original speech.
    assert jobs["compute_similarity"] == 2 * 2 * 2
    assert jobs["make_table"] == 17
    assert jobs["make_figure"] == 12


def test_chains_share_what_they_take_from_speech_and_what_they_speak_with(checkout):
    study = load_yaml(checkout.folder / "config/studies/demo_neural.yaml")
    entries = {
        name: load_yaml(checkout.folder / f"config/systems/{name}.yaml")
        for name in study["systems"]
    }
    chains = [name for name, entry in entries.items() if entry["method"] == "chain"]
    retrained = [name for name in chains if name in study["attacker_systems"]["semi_informed"]]
    kinds = {entries[name]["params"]["chain"] for name in chains}
    assert kinds == {"tdnnf", "e2e", "e2e_adversarial", "fbank"}
    planned = checkout.planned("demo_neural")
    jobs = Counter(job["rule"] for job in planned)
    # Filter-banks and Griffin-Lim need no training.
    assert jobs["train_content"] == jobs["train_vocoder"] == 3
    assert jobs["train_acoustic"] == 4
    # Voices and speech of development and test data, and of training data for an attacker.
    assert jobs["choose_voices"] == 2 * len(chains) + len(retrained)
    assert jobs["synthesize_shard"] == (2 + 2) * len(chains) + 4 * len(retrained)
    shards = {"synth_chain": 2, "synth_dev": 2, "synth_test": 2, "synth_train": 4}
    assert jobs["track_pitch"] == sum(shards.values())
    # Nobody retrains an attacker on the adversarial content.
    assert jobs["extract_content"] == 4 * sum(shards.values()) - shards["synth_train"]
    # The vectors of chains, once, and an attacker of original and of each retrained system.
    attacked = len(study["attacker_systems"]["semi_informed"])
    assert jobs["train_asv"] == 1 + 1 + attacked
    assert jobs["fit_plda"] == 1


def test_published_values_need_no_audio(checkout):
    jobs = Counter(job["rule"] for job in checkout.planned("published"))
    printed = {"make_table": 16, "make_figure": 13, "record_run": 1}
    legal = dict.fromkeys(["read_published_legal", "make_legal_figure", "make_legal_table"], 1)
    assert jobs == {"read_published": 1, "published": 1, **printed, **legal}


def test_one_table_needs_only_its_own_jobs(checkout):
    jobs = checkout.planned("results/demo/tables/table_03.tex")
    rules = {job["rule"] for job in jobs}
    assert not rules & {"train_asr", "train_ser", "decode_speech", "make_figure"}
    # Neither retrained attackers nor development data enter Table 3.
    assert {job["trained_on"] for job in jobs if job["rule"] == "train_asv"} == {"orig"}
    assert "synth_dev" not in {job.get("dataset") for job in jobs}


def test_plda_is_estimated_on_what_the_model_was_trained_on(checkout):
    for attacker, heard in (("lazy_informed", "orig"), ("semi_informed", "b2")):
        target = f"results/scores/xvector_demo/{attacker}/0/b2/synth_test/f.tsv"
        jobs = checkout.planned(target)
        assert [job["trained_on"] for job in jobs if job["rule"] == "fit_plda"] == [heard]
        embedded = {
            (job["trained_on"], job["system"], job["dataset"])
            for job in jobs
            if job["rule"] == "embed_utterances"
        }
        assert embedded == {(heard, heard, "synth_train"), (heard, "b2", "synth_test")}


@pytest.mark.parametrize("form", ["tsv", "md", "tex"])
def test_each_form_of_a_table_is_a_target(checkout, form):
    jobs = checkout.planned(f"results/demo/tables/table_2024_06.{form}")
    assert {"study": "demo", "table": "table_2024_06", "rule": "make_table"} in jobs


def test_any_table_is_compared_with_published_values(checkout):
    jobs = checkout.planned("results/published/tables/compare_03.md")
    assert [job["rule"] for job in jobs].count("compare_table") == 1
    jobs = checkout.planned("results/demo/tables/compare_2024_06.md")
    assert {"rule": "read_published"} in jobs


def test_a_table_of_an_unknown_study_is_no_target(checkout):
    done = checkout.run("--dry-run", "results/nothing/tables/table_03.tex", check=False)
    assert done.returncode != 0
    assert "results/nothing/tables/table_03.tex" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("config/systems/b2.yaml", "metod: mcadams\n", "b2.yaml: unknown key 'metod'"),
        (
            "config/systems/b2.yaml",
            "method: mcadams\nparams: {alpha: x}\n",
            "b2.yaml: params.alpha",
        ),
        ("config/systems/my system.yaml", "method: identity\n", "'my system' cannot be a name"),
        (
            "config/attackers/lazy.yaml",
            "enrolment: original\n",
            "lazy.yaml: lacks the key 'trials'",
        ),
        (
            "config/datasets/x.yaml",
            "subsets: {train: 3}\n",
            "x.yaml: subsets.train: expected string",
        ),
        ("config/asv/x.yaml", "backend: ecapa\nchanels: 8\n", "x.yaml: unknown key 'chanels'"),
        ("config/studies/x.yaml", "title: 3\nsystems: [b2]\ndatasets: {}\n", "x.yaml: title"),
    ],
)
def test_a_mistake_in_any_entry_stops_with_its_file_and_key(checkout, name, text, message):
    (checkout.folder / name).write_text(text)
    done = checkout.run("--dry-run", check=False)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
