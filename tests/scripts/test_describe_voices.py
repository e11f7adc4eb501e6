"""From chosen voices to the page that judges them."""

import numpy as np
import pandas as pd
import pytest

from scripts import check_vectors, choose_voices, describe_voices
from scripts.lib.embeddings import save_embeddings
from scripts.lib.layers import write_layers
from scripts.lib.manifest import read_table, write_manifest
from tests.unit.voices.pools import Voices

VOICES = Voices(dim=24, decay=4)
NETWORK = {"step": "autoencoder", "autoencoder": "s1"}
SYSTEMS = {
    "b1": [
        {"step": "pool", "affinity": "cosine", "proximity": "far", "gender": "same"}
        | {"n": 20, "n_star": 10}
    ],
    "o1": [{"step": "gmm_pca", "components": 20, "mixtures": 1}],
    "k2": [{"step": "exponential", "epsilon": 20, "gender": "any"}],
    "s1c1": [NETWORK],
}


@pytest.fixture
def files(tmp_path):
    """Eight speakers with enrolment and trials, and a pool of sixty."""
    spoken = {
        "data": [(f"{'fm'[n % 2]}{n}", subset) for n in range(8) for subset in ("enrol", "trials")],
        "pool": [(f"{'fm'[n % 2]}p{n:02d}", "train") for n in range(60)],
    }
    for seed, (name, groups) in enumerate(spoken.items()):
        speakers = list(dict.fromkeys(speaker for speaker, _ in groups))
        drawn = VOICES.speakers([speaker[0] for speaker in speakers], seed)
        of = dict(zip(speakers, drawn, strict=True))
        said = VOICES.utterances(np.stack([of[speaker] for speaker, _ in groups]), 3, seed + 9)
        rows, vectors = [], {}
        for (speaker, subset), own in zip(groups, said, strict=True):
            kind = f"trials_{speaker[0]}" if subset == "trials" else subset
            for number, vector in enumerate(own):
                utterance = f"{speaker}-{subset}{number}"
                rows.append((utterance, speaker, speaker[0], kind))
                vectors[utterance] = vector.astype(np.float32)
        table = pd.DataFrame(rows, columns=["utterance", "speaker", "gender", "subset"])
        write_manifest(
            tmp_path / f"{name}.tsv", table.assign(path="u.wav", duration_s=1.0, text="")
        )
        save_embeddings(tmp_path / f"{name}.npz", vectors)
    return {
        "manifest": str(tmp_path / "data.tsv"),
        "embeddings": [str(tmp_path / "data.npz")],
        "pool_manifest": str(tmp_path / "pool.tsv"),
        "pool_embeddings": [str(tmp_path / "pool.npz")],
        "plda": [],
        "networks": [],
    }


def test_a_study_s_voices_are_measured_and_judged(files, tmp_path):
    rng = np.random.default_rng(0)
    shapes = [(8, 24), (4, 8), (8, 4), (24, 8)]
    # A network that says the same of everybody.
    forget = [(np.zeros(shape), rng.normal(size=shape[0])) for shape in shapes]
    write_layers(tmp_path / "layers.npz", forget)
    written = []
    for system, steps in SYSTEMS.items():
        level = "global_speaker" if system == "k2" else "speaker"
        networks = [str(tmp_path / "layers.npz")] if steps == [NETWORK] else []
        own = {**files, "networks": networks, "voices": str(tmp_path / f"{system}.npz")}
        entry = {"name": system, "level": level, "training_level": "utterance"}
        config = {"system": entry | {"seeding": "hashed", "seed": 0}, "steps": steps}
        dataset = {"name": "d", "subsets": ["enrol", "trials_f", "trials_m"]}
        choose_voices.main(own, own["voices"], config | {"dataset": dataset})
        written.append(str(tmp_path / f"{system}.tsv"))
        described = {"system": system, "dataset": "d", "level": level, "steps": steps}
        describe_voices.main(own, written[-1], described)
    found = {
        path: read_table(path).set_index(["quantity", "gender"])["value"].astype(float)
        for path in written
    }
    b1, o1, k2, s1c1 = (found[path] for path in written)
    assert b1["voices", ""] == b1["distinct", ""] == 16
    assert b1["voice_cosine", "f"] > b1["pool_cosine", "f"] + 0.2
    assert abs(o1["voice_cosine", "f"] - o1["pool_cosine", "f"]) < 0.15
    assert k2["voices", ""] == 8
    assert k2["linked_cosine", ""] == pytest.approx(1)
    assert k2["privacy_excess", ""] <= 1e-9
    assert s1c1["distinct", ""] == 1
    assert s1c1["speaker_before", ""] > 0.9
    assert s1c1["speaker_after", ""] <= 0.2

    config = {"title": "mini", "systems": {"d": SYSTEMS}}
    config["display"] = {"systems": {"b1": "B1"}, "datasets": {}}
    check_vectors.main(written, str(tmp_path / "vectors.md"), config)
    page = (tmp_path / "vectors.md").read_text()
    lines = {line.split("|")[1].strip(): line for line in page.splitlines() if "against" in line}
    assert lines["B1"].split("|")[-2].strip() == "as expected"
