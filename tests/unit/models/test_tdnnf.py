import pytest
import torch

from scripts.lib.models.batching import Frames
from scripts.lib.models.tdnnf import Tdnnf, TdnnfLayer

SIZES = {"width": 12, "bottleneck": 5, "context": 1, "dropout": 0.0, "bypass": 0.75}


def network(strides: list[int], subsampling: int) -> Tdnnf:
    torch.manual_seed(3)
    net = Tdnnf(7, strides=strides, subsampling=subsampling, **SIZES)
    # Statistics away from their start, as after a training.
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm1d):
            module.running_mean.uniform_(-0.5, 0.5)
            module.running_var.uniform_(0.5, 2.0)
    return net.eval()


@pytest.mark.parametrize("strides", [[3, 3], [1, 1, 0, 3, 3], [1, 3, 0], [0], [1, 1]])
@pytest.mark.parametrize("frames", [1, 2, 9, 31])
def test_low_frame_rate_gives_every_third_frame_of_the_full_rate(strides, frames):
    slow, fast = network(strides, 3), network(strides, 1)
    fast.load_state_dict(slow.state_dict())
    features = torch.randn(frames, 7)
    thin, layout = slow(features, Frames([frames]))
    full, _ = fast(features, Frames([frames]))
    assert layout.lengths == [len(thin)]
    assert torch.allclose(thin, full[::3], atol=1e-5)


def test_neighbours_in_a_batch_do_not_matter():
    net = network([1, 0, 3, 3], 3)
    parts = [torch.randn(length, 7) for length in (10, 4, 33)]
    together, layout = net(torch.cat(parts), Frames([10, 4, 33]))
    assert layout.lengths == [4, 2, 11]
    for part, found in zip(parts, together.split(layout.lengths), strict=True):
        alone, _ = net(part, Frames([len(part)]))
        assert torch.allclose(found, alone, atol=1e-5)


def test_the_context_is_what_the_strides_say():
    # ±1 of the entry, ±1 and ±3 of the layers: frame 0 hears frames 0 to 5.
    net = network([1, 3], 3)
    features = torch.randn(12, 7, requires_grad=True)
    net(features, Frames([12]))[0][0].sum().backward()
    heard = features.grad.abs().sum(dim=1) > 0
    assert heard.tolist() == [True] * 6 + [False] * 6


@pytest.mark.parametrize("stride", [0, 2])
def test_constraint_leads_to_a_multiple_of_a_semi_orthogonal_matrix(stride):
    torch.manual_seed(0)
    layer = TdnnfLayer(16, 6, stride, dropout=0.0, bypass=0.75)
    taps = 2 if stride else 1

    def gram() -> torch.Tensor:
        matrix = torch.cat(layer.factor.weight.chunk(taps, dim=0), dim=1)
        return matrix @ matrix.T

    scale = (gram() ** 2).sum() / gram().trace()
    for _ in range(30):
        layer.constrain()
    target = gram().diagonal().mean() * torch.eye(6)
    assert torch.allclose(gram(), target, atol=1e-5)
    # The scale floats: it is that of the matrix, not one.
    assert 0.3 * scale < gram()[0, 0] < 1.5 * scale
    before = layer.factor.weight.clone()
    layer.constrain()
    assert torch.allclose(layer.factor.weight, before, atol=1e-6)
