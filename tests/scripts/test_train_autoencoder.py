"""From accents and vectors to the network that choose_voices applies."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scripts import prepare_accents, train_autoencoder
from scripts.lib.configuration import checked, load_yaml
from scripts.lib.embeddings import save_embeddings
from scripts.lib.layers import read_layers
from scripts.lib.manifest import read_manifests, read_table, write_manifest
from scripts.lib.synthesis.accents import speaker_accents
from scripts.lib.synthesis.plan import plan_corpus
from scripts.lib.voices.autoencoder import Step
from scripts.lib.voices.vectors import Pool, Source
from tests.unit.models.test_adversarial_autoencoder import SMALL, entry


@pytest.fixture
def manifest(tmp_path):
    rows = [
        {
            "utterance": f"{speaker}-{n}",
            "speaker": speaker,
            "gender": speaker[0],
            "subset": "train",
            "path": "u.wav",
            "duration_s": 1.0,
            "text": "",
            "sha256": f"{speaker}{n}",
        }
        for speaker in ("f1", "f2", "f3", "m1", "m2", "m3")
        for n in range(5)
    ]
    write_manifest(tmp_path / "000.tsv", pd.DataFrame(rows))
    return str(tmp_path / "000.tsv")


def test_training_writes_layers_that_a_step_applies(manifest, tmp_path):
    names = read_manifests([manifest])["utterance"]
    rng = np.random.default_rng(0)
    save_embeddings(tmp_path / "v.npz", {name: rng.normal(size=12) for name in names})
    (tmp_path / "spk2accent").write_text("f1 a\nf2 b\nf3 a\nm1 b\nm2 a\nm3 b\n")
    accents = str(tmp_path / "accents.tsv")
    prepare_accents.main(manifest, [str(tmp_path / "spk2accent")], accents, {})

    def train(folder):
        folder.mkdir()
        files = {"model": "model.pt", "layers": "layers.npz", "curve": "curve.tsv"}
        files = {key: str(folder / name) for key, name in {**files, "card": "card.yaml"}.items()}
        features = {"vectors": [str(tmp_path / "v.npz")], "accents": [accents]}
        config = {"model": entry(training_data=["d"]), "shards": {"d": 1}}
        train_autoencoder.main(files, [manifest], features, [], 1, 0, config)
        return files

    one, other = train(tmp_path / "one"), train(tmp_path / "other")
    for name in ("model", "layers", "curve"):
        assert Path(one[name]).read_bytes() == Path(other[name]).read_bytes(), name
    curve = read_table(one["curve"])
    assert list(curve["updates"]) == ["10", "20", "30"]
    assert "train_accent_loss" in curve
    assert [weight.shape for weight, _ in read_layers(one["layers"])] == [
        (16, 12), (6, 16), (16, 6), (12, 16),
    ]  # fmt: skip
    step = Step({"layers": one["layers"]})
    step.fit(Pool(("p",), np.array(["f"]), np.ones((1, 12))), None)
    vector = rng.normal(size=12)
    assert step.apply(Source(vector, "f", vector[None]), None).vector.shape == (12,)
    with pytest.raises(ValueError, match=r"a network of 12 dimensions, but the pool's .* have 5"):
        step.fit(Pool(("p",), np.array(["f"]), np.ones((1, 5))), None)


def test_accents_of_an_embedded_corpus_are_those_it_speaks_with(manifest, tmp_path):
    schema = load_yaml("config/schemas/synthetic.schema.yaml")
    few = {"seed": 3, "chain": {"speakers_per_gender": 4, "utterances": 1}}
    config = checked(few, schema, "x")
    spoken = {each.slot.speaker: each.sentence.accent for each in plan_corpus(config)}
    assert speaker_accents(config) == spoken
    assert len(set(spoken.values())) > 1
    # Nobody of this manifest is in that corpus.
    prepare_accents.main(manifest, [], str(tmp_path / "a.tsv"), {"synthetic": config})
    assert list(read_table(tmp_path / "a.tsv").columns) == ["speaker", "accent"]
    assert len(read_table(tmp_path / "a.tsv")) == 0


def test_the_entry_of_the_tests_is_valid():
    assert entry()["latent"] == SMALL["latent"]
