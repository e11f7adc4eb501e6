"""Chain systems through the whole workflow at their smallest: results, and what a change reruns."""

import json

import numpy as np
import pytest

from scripts.lib.audio import read_audio
from scripts.lib.manifest import read_manifests, read_table
from scripts.lib.models.training import load_state
from scripts.lib.voice_table import read_voices

pytestmark = pytest.mark.slow
STUDY = ("--configfile", "tiny.yaml", "tiny_chain.yaml")
CHAINS = ("b1", "b1_2024", "m1c2", "o1", "s1")
TRAINING = {"train_content", "train_acoustic", "train_vocoder", "train_autoencoder"}
EXTRACTION = {"extract_content", "track_pitch", "synthesize_corpus", "prepare_manifest"}
SPOKEN = {"choose_voices", "synthesize_shard"}


def shards(folder, system):
    return sorted((folder / "results" / "audio" / system / "tiny_test").glob("*.tsv"))


def test_every_chain_speaks_whole_frames_of_every_utterance(finished_chain):
    folder = finished_chain.folder
    spoken = read_manifests(shards(folder, "orig"))
    for system in CHAINS:
        manifest = read_manifests(shards(folder, system))
        assert set(manifest["utterance"]) == set(spoken["utterance"])
        frames = (spoken.set_index("utterance")["duration_s"] * 100 + 1e-6).astype(int)
        for row in manifest.itertuples():
            samples = read_audio(folder / row.path)
            assert len(samples) == 160 * frames[row.utterance]
            assert np.abs(samples).max() > 0


def test_voices_are_shared_as_the_levels_say(finished_chain):
    folder = finished_chain.folder / "results"
    manifest = read_table(folder / "data" / "tiny_test" / "manifest.tsv")
    tables = {system: read_voices(folder / f"voices/{system}/tiny_test.npz") for system in CHAINS}
    counts = {system: len(np.unique(table.pseudo, axis=0)) for system, table in tables.items()}
    speakers = len(manifest.groupby(["subset", "speaker"]))
    assert counts["o1"] == speakers
    assert counts["m1c2"] == speakers
    # Two of two candidates make one voice; the candidates may be the same for several speakers.
    assert counts["b1"] <= speakers
    assert np.array_equal(tables["m1c2"].pseudo, tables["m1c2"].source)


def test_a_vocoder_of_predicted_spectra_waits_for_their_model(finished_chain):
    folder = finished_chain.folder / "results"
    model = load_state(folder / "vocoder" / "tiny_filter" / "model.pt")
    assert model["sizes"] == {"frame": 80, "vector": 12}
    curve = read_table(folder / "acoustic" / "tiny_film" / "curve.tsv")
    assert list(curve["updates"]) == ["3", "6"]
    assert {"valid_l1", "valid_l1_wrong_vector"} <= set(curve)
    assert not list(folder.glob("*/*/checkpoint.pt"))


def test_the_record_names_the_parts_and_what_they_heard(finished_chain):
    folder = finished_chain.folder / "results" / "tiny_chain"
    used = json.loads((folder / "provenance.json").read_text())["configuration"]
    assert set(used["acoustic"]) == {"tiny_film", "tiny_joint"}
    assert set(used["vocoder"]) == {"tiny_filter"}
    assert set(used["content"]) == {"tiny_content"}
    assert set(used["autoencoder"]) == {"tiny_s1"}
    assert set(used["kits"]) == {"tiny"}
    assert {"tiny_chain", "tiny_pool"} <= set(used["datasets"])
    jobs = read_table(folder / "benchmarks.tsv").set_index(["rule", "system"])["jobs"].astype(int)
    # Two shards of training data and two of test data.
    assert jobs["synthesize_shard", "b1"] == 4
    assert jobs["train_acoustic"].sum() == 2


def test_a_finished_study_has_nothing_to_do(finished_chain):
    assert finished_chain.planned(*STUDY) == []


def test_a_vector_transform_reruns_the_voices_of_its_system_only(copy_of_finished_chain):
    copy_of_finished_chain.edit("tiny_chain.yaml", "components: 2", "components: 1")
    jobs = copy_of_finished_chain.planned(*STUDY)
    rules = {job["rule"] for job in jobs}
    assert not rules & (TRAINING | EXTRACTION | {"train_asv", "train_asr"})
    assert {job["system"] for job in jobs if job["rule"] in SPOKEN} == {"o1"}
    assert {job["rule"] for job in jobs if job.get("system") == "o1"} >= SPOKEN
    assert {job["system"] for job in jobs if "system" in job} == {"o1"}


def test_a_network_of_vectors_reruns_the_voices_of_its_system_only(copy_of_finished_chain):
    copy_of_finished_chain.edit("tiny_chain.yaml", "strength: 0.2", "strength: 0.3")
    jobs = copy_of_finished_chain.planned(*STUDY)
    assert {job["rule"] for job in jobs} & (TRAINING | EXTRACTION) == {"train_autoencoder"}
    assert {job["system"] for job in jobs if job["rule"] in SPOKEN} == {"s1"}


def test_chosen_voices_are_judged(finished_chain):
    page = (finished_chain.folder / "results/tiny_chain/checks/vectors.md").read_text()
    for text in ("averaged voices are more alike", "a probe names at most", "| M1c2 "):
        assert text in page


def test_a_route_chooses_no_new_voices(copy_of_finished_chain):
    copy_of_finished_chain.edit("config/systems/m1c2.yaml", "vocoder: orig", "vocoder: anon")
    jobs = copy_of_finished_chain.planned(*STUDY)
    assert not {job["rule"] for job in jobs} & (TRAINING | EXTRACTION | {"choose_voices"})
    assert {job["system"] for job in jobs if job["rule"] == "synthesize_shard"} == {"m1c2"}


def test_settings_of_the_vocoder_retrain_it_alone(copy_of_finished_chain):
    copy_of_finished_chain.edit(
        "tiny_chain.yaml", "layers: 1\n    updates: 4", "layers: 2\n    updates: 4"
    )
    jobs = copy_of_finished_chain.planned(*STUDY)
    assert {job["rule"] for job in jobs} & (TRAINING | EXTRACTION) == {"train_vocoder"}
    # The joint model of B1 of 2024 needs none.
    spoken = {job["system"] for job in jobs if job["rule"] == "synthesize_shard"}
    assert spoken == {"b1", "m1c2", "o1", "s1"}


def test_same_seed_same_bytes(finished_chain, checkout):
    targets = ["results/vocoder/tiny_filter/model.pt", "results/audio/b1/tiny_test/000.tsv"]
    targets += ["results/voices/s1/tiny_test.npz"]
    checkout.run(*STUDY, "--", *targets)
    for name in [
        *targets,
        "results/acoustic/tiny_film/model.pt",
        "results/voices/b1/tiny_test.npz",
        "results/autoencoder/tiny_s1/layers.npz",
    ]:
        one, other = (place.folder / name for place in (finished_chain, checkout))
        assert one.read_bytes() == other.read_bytes(), name
