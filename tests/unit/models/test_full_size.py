"""The entries of the plans at their full width: sizes by hand, and a few steps of training."""

import pytest
import torch
from torch.nn.functional import cross_entropy, ctc_loss

from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.models.attention_decoder import spelling_loss
from scripts.lib.models.batching import Frames
from scripts.lib.models.content_speech import ctc_loss_of_unit
from scripts.lib.models.ctc import AcousticModel
from scripts.lib.models.e2e_bottleneck import Recogniser
from scripts.lib.models.reversal import reverse_gradient
from scripts.lib.models.speaker_branch import SpeakerBranch

PHONES = 40
PIECES = 5000


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


def size_of(network: torch.nn.Module) -> int:
    return sum(weights.numel() for weights in network.parameters())


def lstm_size(before: int, width: int) -> int:
    """Four gates with two biases each, as the library has them."""
    return 4 * width * (before + width + 2)


@pytest.mark.slow
def test_the_recogniser_of_m1_and_its_opponent_learn_at_their_full_width():
    entries = Catalogue("config", load_yaml("config/config.yaml"))["content"]
    entry = entries["e2e_adversarial_plan"]
    assert entry["network"] == entries["e2e_plan"]["network"]
    torch.manual_seed(0)
    recogniser = Recogniser(entry["network"], PIECES)
    encoder = 2 * (lstm_size(80, 1024) + 2 * lstm_size(2048, 1024))
    # Key, query, ten filters of 201 steps and their projection, the score.
    attention = (256 * 1024 + 1024) + 512 * 1024 + 10 * 201 + 10 * 1024 + (1024 + 1)
    decoder = PIECES * 512 + lstm_size(512 + 256, 512) + lstm_size(512, 512)
    spelled = (256 * PIECES + PIECES) + (512 * PIECES + PIECES)
    assert size_of(recogniser) == encoder + 2048 * 256 + attention + decoder + spelled
    branch = SpeakerBranch(256, 251, entry["adversary"])
    layers = lstm_size(256, 512) + 2 * lstm_size(512, 512) + 2 * (512 * 512 + 512)
    pooled = (1024 * 1024 + 1024) + 2 * 1024 + (1024 * 251 + 251)
    assert size_of(branch) == layers + pooled
    parameters = [*recogniser.parameters(), *branch.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=0.0005)
    features, speakers = [torch.randn(60, 80), torch.randn(50, 80)], torch.tensor([3, 7])
    targets = [torch.randint(1, PIECES, (6,)) for _ in features]
    losses = []
    for _ in range(4):
        content, lengths = recogniser.encode(features, 0)
        # Every frame has its content.
        assert lengths == [60, 50]
        hidden = cross_entropy(branch(reverse_gradient(content, 0.1), lengths), speakers)
        spelled = spelling_loss(*recogniser.spell(content, lengths, targets))
        loss = ctc_loss_of_unit(recogniser.scores(content), lengths, targets) + spelled
        optimizer.zero_grad()
        (0.2 * loss + 0.8 * hidden).backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
