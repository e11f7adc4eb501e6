import pytest
import torch

from scripts.lib.models import gpus
from scripts.lib.models.batch_parts import BatchParts


def squares(weight, items, room):
    """A loss of each item's own, on a device whose memory holds `room` items."""

    def loss_of(part):
        if len(items[part]) > room:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return ((items[part] - weight) ** 2).sum() / len(items), len(items[part])

    return loss_of


def gradient(room, smallest=1):
    weight = torch.tensor(0.5, requires_grad=True)
    parts = BatchParts(smallest)
    items = torch.tensor([1.0, 2.0, 4.0, 7.0, 0.0])
    loss, sizes = parts.backward(torch.optim.SGD([weight]), 5, squares(weight, items, room))
    return parts.count, loss, sizes, float(weight.grad)


def test_out_of_memory_halves_the_batch_and_keeps_the_step():
    # d/dw mean((x - w)^2) = -2 mean(x - w) = -2 (14/5 - 0.5)
    for room, count, sizes in ((5, 1, [5]), (3, 2, [3, 2]), (2, 4, [2, 1, 1, 1])):
        found = gradient(room)
        assert found[0] == count
        assert found[2] == sizes
        assert found[1] == pytest.approx((0.25 + 2.25 + 12.25 + 42.25 + 0.25) / 5)
        assert found[3] == pytest.approx(-4.6)


def test_parts_have_a_smallest_size_and_other_errors_are_raised():
    with pytest.raises(torch.OutOfMemoryError):
        gradient(room=1, smallest=2)
    parts = BatchParts(smallest=2)
    parts.count = 8
    assert parts.slices(5) == [slice(0, 3), slice(3, 5)]
    weight = torch.tensor(0.5, requires_grad=True)

    def wrong(part):
        raise RuntimeError("shapes differ")

    with pytest.raises(RuntimeError, match="shapes differ"):
        parts.backward(torch.optim.SGD([weight]), 4, wrong)


def test_a_training_uses_the_gpus_of_its_job(monkeypatch):
    monkeypatch.setenv(gpus.VISIBLE, "3,4,5")
    gpus.use_gpus(2)
    assert gpus.os.environ[gpus.VISIBLE] == "3,4"
    network = torch.nn.Linear(2, 1)
    for count, spread in ((0, False), (1, False), (2, True)):
        monkeypatch.setattr(torch.cuda, "device_count", lambda count=count: count)
        found = gpus.over_gpus(network)
        assert isinstance(found, torch.nn.DataParallel) == spread
        assert (found.module if spread else found) is network
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda n: f"GPU {n}")
    assert gpus.processors(threads=4) == "GPU 0, GPU 1"
