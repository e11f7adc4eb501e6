"""The adversarial autoencoder: its gradients, its stages, and what numpy makes of its layers."""

from copy import deepcopy

import numpy as np
import pandas as pd
import pytest
import torch

from scripts.lib.configuration import checked, load_yaml
from scripts.lib.embeddings import save_embeddings
from scripts.lib.layers import encode, rebuild
from scripts.lib.models.adversarial_autoencoder import Training
from scripts.lib.models.training import seed_everything
from tests.unit.voices.pools import Voices

SCHEMA = load_yaml("config/schemas/autoencoder.schema.yaml")
SMALL = {
    "backend": "adversarial_autoencoder",
    "training_data": ["d"],
    "vectors": "v",
    "validation_speakers": 2,
    "hidden": 16,
    "latent": 6,
    "batch": 16,
    "updates": 30,
    "autoencoder_updates": 10,
    "report_updates": 10,
    "adversary": {"strength": 0.5, "branch_updates": 10, "steps": 2, "width": 8},
    "training": {"weight_decay": 0.1},
}


def entry(**changes):
    return checked(deepcopy(SMALL) | changes, SCHEMA, "x")


@pytest.fixture
def data(tmp_path):
    """Ten speakers with six utterances each in 12 dimensions, three accents."""
    voices = Voices(dim=12, decay=3)
    genders = ["f", "m"] * 5
    said = voices.utterances(voices.speakers(genders), 6)
    rows = [
        (f"s{speaker}-{number}", f"s{speaker}", gender)
        for speaker, gender in enumerate(genders)
        for number in range(6)
    ]
    table = pd.DataFrame(rows, columns=["utterance", "speaker", "gender"])
    vectors = dict(zip(table["utterance"], said.reshape(60, 12).astype(np.float32), strict=True))
    save_embeddings(tmp_path / "v.npz", vectors)
    accents = [(f"s{n}", "abc"[n % 3]) for n in range(10)]
    frame = pd.DataFrame(accents, columns=["speaker", "accent"])
    frame.to_csv(tmp_path / "accents.tsv", sep="\t", index=False)
    files = {"vectors": [str(tmp_path / "v.npz")], "accents": [str(tmp_path / "accents.tsv")]}
    return table, files, said.reshape(60, 12)


def train(table, files, config, seed=0):
    training = Training(table, config, seed, 1, files)
    for epoch in (1, 2, 3):
        seed_everything(seed, "epoch", epoch)
        figures = training.run_epoch(epoch)
    return training, figures


def layers_of(training):
    return [(e["weight"].numpy(), e["bias"].numpy()) for e in training.model()["layers"]]


def test_numpy_layers_are_the_network(data):
    table, files, vectors = data
    training, _ = train(table, files, entry())
    network = training.autoencoder.eval()
    scaled = torch.from_numpy((vectors - training.mean) / training.scale).float()
    with torch.no_grad():
        latent = network.encoder(scaled).numpy()
        rebuilt = network(scaled).numpy() * training.scale + training.mean
    layers = layers_of(training)
    assert encode(vectors, layers) == pytest.approx(latent, abs=1e-4)
    assert rebuild(vectors, layers) == pytest.approx(rebuilt, abs=1e-4)


def encoder_gradient(training, strength, together=True):
    """Return the gradients of encoder and branches in the middle of the last stage."""
    training.config["adversary"]["strength"] = strength
    training.config["noise"] = 0.0
    training.step = 25 if together else 15
    training.network.train()
    training.optimizer.zero_grad()
    seed_everything(0, "noise")
    training.loss([np.arange(16)]).backward()
    encoder = training.autoencoder.encoder[0].weight.grad
    branch = training.branches["speaker"][0].weight.grad
    return encoder, branch


def test_only_the_encoder_feels_the_reversal_and_its_sign(data):
    table, files, _ = data
    training = Training(table, entry(), 0, 1, files)
    plain, branch = (g.clone() for g in encoder_gradient(training, 0.0))
    one, branch_one = (g.clone() for g in encoder_gradient(training, 0.7))
    other, branch_other = (g.clone() for g in encoder_gradient(training, -0.7))
    assert torch.allclose(branch, branch_one)
    assert torch.allclose(branch, branch_other)
    # What the branches add changes sign with the strength, what the decoder wants does not.
    assert torch.allclose(one - plain, plain - other, atol=1e-6)
    assert (one - plain).abs().max() > 1e-4
    # With strength 0 the encoder hears of the decoder only.
    training.optimizer.zero_grad()
    vectors = training.train[np.arange(16)]
    torch.nn.functional.mse_loss(training.autoencoder(vectors), vectors).backward()
    assert torch.allclose(training.autoencoder.encoder[0].weight.grad, plain, atol=1e-6)


def test_branches_learn_alone_on_a_frozen_autoencoder(data):
    table, files, _ = data
    training = Training(table, entry(), 0, 1, files)
    encoder, branch = encoder_gradient(training, 0.5, together=False)
    assert encoder is None
    assert branch.abs().max() > 0
    before = deepcopy(training.autoencoder.state_dict())
    training.step = 10
    training.run_epoch(2)
    after = training.autoencoder.state_dict()
    assert training.step == 20
    assert all(torch.equal(before[key], after[key]) for key in before)


def test_classes_count_the_same_whatever_their_size(data):
    table, files, _ = data
    table = table[~table["speaker"].isin(["s1", "s3"])]
    training = Training(table, entry(validation_speakers=1), 0, 1, files)
    weights, codes = training.class_weights["gender"], training.labels["gender"]
    assert torch.allclose(weights[0] * (codes == 0).sum(), weights[1] * (codes == 1).sum())


def test_an_accent_that_is_unknown_leaves_its_branch_out_with_a_note(data, caplog):
    table, files, _ = data
    assert set(Training(table, entry(), 0, 1, files).branches) == {"speaker", "gender", "accent"}
    with caplog.at_level("INFO"):
        training = Training(table, entry(), 0, 1, {**files, "accents": []})
    assert set(training.branches) == {"speaker", "gender"}
    assert "no branch for the accent" in caplog.text


def test_without_branches_it_is_an_autoencoder(data):
    table, files, _ = data
    weights = dict.fromkeys(("speaker", "gender", "accent"), 0)
    adversary = SMALL["adversary"] | {"weights": weights}
    training, figures = train(table, files, entry(adversary=adversary, noise=0))
    assert not len(training.branches)
    assert set(figures) >= {"valid_cosine", "valid_spread", "train_loss"}


def test_a_state_goes_on_where_it_was_left_and_seeds_decide(data):
    table, files, _ = data
    whole, _ = train(table, files, entry())
    first = Training(table, entry(), 0, 1, files)
    seed_everything(0, "epoch", 1)
    first.run_epoch(1)
    second = Training(table, entry(), 0, 1, files)
    second.load_state_dict(deepcopy(first.state_dict()))
    for epoch in (2, 3):
        seed_everything(0, "epoch", epoch)
        second.run_epoch(epoch)
    for one, other in zip(layers_of(whole), layers_of(second), strict=True):
        assert np.array_equal(one[0], other[0])
    another, _ = train(table, files, entry(), seed=1)
    assert not np.array_equal(layers_of(whole)[0][0], layers_of(another)[0][0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"updates": 20}, "updates: 20 leave none for all together"),
        ({"validation_speakers": 9}, "9 of 10 speakers leave fewer than two"),
    ],
)
def test_settings_that_leave_nothing_are_refused(data, changes, message):
    table, files, _ = data
    with pytest.raises(ValueError, match=message):
        Training(table, entry(**changes), 0, 1, files)
