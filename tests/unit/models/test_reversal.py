import pytest
import torch

from scripts.lib.models.reversal import reverse_gradient


def gradients(strength: float | None) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of an encoder and of the branch on top, with or without reversal between them."""
    torch.manual_seed(0)
    encoder, branch = torch.nn.Linear(4, 3), torch.nn.Linear(3, 2)
    hidden = encoder(torch.randn(5, 4))
    if strength is not None:
        hidden = reverse_gradient(hidden, strength)
    torch.nn.functional.cross_entropy(branch(hidden), torch.tensor([0, 1, 1, 0, 1])).backward()
    return encoder.weight.grad, branch.weight.grad


@pytest.mark.parametrize("strength", [0.1, 1.0, -0.5, 0.0])
def test_the_encoder_gets_minus_lambda_times_the_gradient_and_the_branch_its_own(strength):
    plain, reversed_ = gradients(None), gradients(strength)
    assert torch.allclose(reversed_[0], -strength * plain[0], rtol=1e-6, atol=0)
    assert torch.equal(reversed_[1], plain[1])


def test_forward_changes_nothing():
    values = torch.randn(3, 4)
    assert torch.equal(reverse_gradient(values, 0.3), values)


def test_a_task_beside_the_branch_keeps_its_gradient():
    values = torch.ones(2, requires_grad=True)
    (reverse_gradient(values, 0.5).sum() + 3 * values.sum()).backward()
    assert values.grad.tolist() == [2.5, 2.5]
