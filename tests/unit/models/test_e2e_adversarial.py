"""The recogniser that forgets who speaks: which gradient goes where, and the order of stages."""

import pytest
import torch

from scripts.lib.models import e2e_bottleneck
from scripts.lib.models.e2e_adversarial import Extractor, Training
from scripts.lib.models.speaker_branch import SpeakerBranch
from scripts.lib.models.training import fit
from tests.unit.models.spelled_tones import record, say
from tests.unit.models.test_e2e_bottleneck import TEXTS, settings

ADVERSARY = {
    "layers": 1,
    "width": 12,
    "pooled": 10,
    "dropout": 0.0,
    "strength": 0.1,
    "recogniser_weight": 0.2,
    "branch_updates": 4,
}


def entry(**changes) -> dict:
    """Return an entry of two updates of the branch and four of both."""
    adversary = {**ADVERSARY, **changes}
    return settings(updates=8, report_updates=2, backend="e2e_adversarial", adversary=adversary)


def voices(folder):
    """Six recordings of three speakers, one of whom is held out."""
    table = record(folder, TEXTS)
    return table.assign(speaker=[f"v{number % 3}" for number in range(len(table))])


@pytest.fixture
def utterances(tmp_path):
    return voices(tmp_path)


def started(utterances, **changes) -> Training:
    """Return a training that has taken up a recogniser."""
    plain = e2e_bottleneck.Training(utterances, settings(), seed=1, threads=1)
    training = Training(utterances, entry(**changes), seed=2, threads=1)
    training.start_from(plain.model())
    return training


def gradients(training: Training) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of the projection and of the branch's last layer at a joint update."""
    training.step = 7
    batch = (training.speech.batch(0), 1)
    training.network.zero_grad()
    training.loss(batch).backward()
    encoder, branch = training.recogniser.narrow.weight.grad, training.branch.output.weight.grad
    return encoder, branch


def test_without_strength_the_branch_leaves_the_encoder_alone(utterances):
    encoder, branch = gradients(started(utterances, strength=0.0, recogniser_weight=0.0))
    assert encoder.abs().max() == 0
    assert branch.abs().max() > 0


def test_the_sign_of_lambda_turns_the_encoder_but_not_the_branch(utterances):
    found = [
        gradients(started(utterances, strength=strength, recogniser_weight=0.0))
        for strength in (0.3, -0.3)
    ]
    assert found[0][0].abs().max() > 0
    assert torch.allclose(found[0][0], -found[1][0], rtol=1e-4, atol=1e-9)
    assert torch.allclose(found[0][1], found[1][1], rtol=1e-4, atol=1e-9)


def test_the_recognisers_own_gradient_is_not_reversed(utterances):
    # With all weight on the recogniser, the step is that of a recogniser without any branch.
    training = started(utterances, recogniser_weight=1.0)
    encoder, branch = gradients(training)
    batch = (started(utterances).speech.batch(0), 1)
    training.network.zero_grad()
    e2e_bottleneck.Training.loss(training, batch).backward()
    assert torch.allclose(encoder, training.recogniser.narrow.weight.grad, rtol=1e-4, atol=1e-8)
    assert branch.abs().max() == 0


def test_the_recogniser_stands_still_while_the_branch_catches_up(utterances, tmp_path):
    training = started(utterances)
    before = {key: value.clone() for key, value in training.recogniser.state_dict().items()}
    branch = training.branch.output.weight.detach().clone()
    settled = fit(training, epochs=2, seed=2, checkpoint=tmp_path / "c.pt", fingerprint="x")
    for key, value in training.recogniser.state_dict().items():
        assert torch.equal(value, before[key]), key
    assert not torch.equal(training.branch.output.weight, branch)
    assert settled["valid_unit_error"].nunique() == 1
    fit(training, epochs=3, seed=2, checkpoint=tmp_path / "c.pt", fingerprint="x")
    assert not torch.equal(training.recogniser.narrow.weight, before["narrow.weight"])


def test_the_trained_file_is_that_of_a_plain_recogniser(utterances):
    training = started(utterances)
    model = training.model()
    assert not any("branch" in key for key in model["weights"])
    for extractor in (Extractor, e2e_bottleneck.Extractor):
        assert extractor(model, entry()).features(say("AB")).shape[1] == 8


def test_units_come_from_the_recogniser(utterances):
    plain = e2e_bottleneck.Training(utterances, settings(), seed=1, threads=1)
    model = plain.model()
    # As many characters, in another order.
    model["units"] = {"kind": "characters", "characters": "CBA"}
    training = Training(utterances, entry(), seed=2, threads=1)
    training.start_from(model)
    assert training.speech.units.vocabulary != plain.speech.units.vocabulary
    spelled = [training.speech.units.vocabulary[n] for n in training.speech.targets[0].tolist()]
    assert spelled == list(utterances["text"][0])


def test_another_network_is_refused(utterances):
    other = {**settings()["network"], "width": 10}
    plain = e2e_bottleneck.Training(utterances, settings(network=other), seed=1, threads=1)
    training = Training(utterances, entry(), seed=2, threads=1)
    with pytest.raises(ValueError, match="make `network` and `units` equal"):
        training.start_from(plain.model())


@pytest.mark.parametrize("updates", [1, 8])
def test_the_first_report_has_to_show_the_recogniser_as_it_came(utterances, updates):
    with pytest.raises(ValueError, match="branch_updates"):
        Training(utterances, entry(branch_updates=updates), seed=2, threads=1)


def test_the_branch_hears_utterances_one_by_one():
    torch.manual_seed(0)
    branch = SpeakerBranch(8, 5, ADVERSARY).eval()
    one, two = torch.randn(9, 8), torch.randn(4, 8)
    with torch.no_grad():
        both = branch(torch.cat([one, two]), [9, 4])
        assert torch.allclose(both[1], branch(two, [4])[0], atol=1e-6)


def test_a_batch_of_one_utterance_can_be_learned_from():
    branch = SpeakerBranch(8, 5, ADVERSARY).train()
    branch(torch.randn(9, 8), [9]).sum().backward()
    assert branch.output.weight.grad.abs().max() > 0
    branch(torch.randn(9, 8), [5, 4])
    assert branch.norm.training
