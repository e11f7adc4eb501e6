"""The entries of the plans at their full width: sizes by hand, and a few steps of training."""

import pytest
import torch
from torch.nn.functional import ctc_loss

from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.models.batching import Frames
from scripts.lib.models.ctc import AcousticModel

PHONES = 40


@pytest.mark.slow
def test_the_recogniser_of_2020_learns_at_its_full_width():
    entry = Catalogue("config", load_yaml("config/config.yaml"))["asr"]["tdnnf_vpc2020"]
    torch.manual_seed(0)
    network = AcousticModel(entry, PHONES)
    # One layer of 3 frames, 15 of two taps and one of a single tap, and the output.
    two_taps = 1536 * 320 + 320 * 1536 + 1536
    one_tap = 1536 * 160 + 160 * 1536 + 1536
    size = (120 * 1536 + 1536) + 15 * two_taps + one_tap + (1536 * PHONES + PHONES)
    assert sum(weights.numel() for weights in network.parameters()) == size
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.001)
    features, lengths = torch.randn(240, 40), [120, 120]
    targets = torch.randint(1, PHONES, (2, 8))
    losses = []
    for _ in range(4):
        scores, layout = network(features, Frames(lengths))
        # Every third frame is scored.
        assert layout.lengths == [40, 40]
        scores = torch.stack(scores.split(layout.lengths), dim=1)
        loss = ctc_loss(scores, targets, torch.tensor([40, 40]), torch.tensor([8, 8]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        network.trunk.constrain()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
