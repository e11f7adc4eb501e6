import pytest
import torch

from scripts.lib.models.training import fit, save_state, seed_everything


class Walk:
    """A training whose weight takes one random step per epoch and may be killed."""

    def __init__(self, killed_in=None):
        self.weight = torch.zeros(3)
        self.killed_in = killed_in
        self.ran = []

    def state_dict(self):
        return {"weight": self.weight.clone()}

    def load_state_dict(self, state):
        self.weight = state["weight"]

    def run_epoch(self, epoch):
        if epoch == self.killed_in:
            raise KeyboardInterrupt
        self.ran.append(epoch)
        self.weight = self.weight + torch.randn(3)
        return {"train_loss": float(self.weight.sum())}


def run(task, folder, fingerprint="a"):
    return fit(task, epochs=5, seed=3, checkpoint=folder / "c.pt", fingerprint=fingerprint)


def test_interrupted_three_times_ends_like_uninterrupted(tmp_path):
    whole = Walk()
    curve = run(whole, tmp_path / "whole")
    for killed_in in (2, 3, 5):
        with pytest.raises(KeyboardInterrupt):
            run(Walk(killed_in), tmp_path / "parts")
    last = Walk()
    parts = run(last, tmp_path / "parts")
    assert last.ran == [5]
    assert torch.equal(last.weight, whole.weight)
    assert parts.equals(curve)
    assert curve["epoch"].tolist() == [1, 2, 3, 4, 5]


def test_a_checkpoint_of_another_configuration_is_left_behind(tmp_path):
    run(Walk(), tmp_path, "a")
    other = Walk()
    run(other, tmp_path, "b")
    assert other.ran == [1, 2, 3, 4, 5]


def test_same_state_same_bytes_under_any_name(tmp_path):
    for name in ("one.pt", "two.pt"):
        save_state(tmp_path / name, {"weight": torch.arange(4.0), "step": 7})
    assert (tmp_path / "one.pt").read_bytes() == (tmp_path / "two.pt").read_bytes()


def test_seeds_depend_on_what_they_are_for():
    values = []
    for ids in (("epoch", 1), ("epoch", 2), ("epoch", 1)):
        seed_everything(0, *ids)
        values.append(float(torch.rand(1)))
    assert values[0] == values[2] != values[1]
