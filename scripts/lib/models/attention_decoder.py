"""Spell what an encoder has heard, unit by unit, with attention that knows where it was before.

Chorowski et al. 2015, as in ESPnet. Number 0, the blank of CTC, which is never spelled, stands for
the start and the end of an utterance.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

from scripts.lib.models.lstm import inside

END = 0
UNUSED = -1
# Makes the attention narrower, as in ESPnet.
SHARPNESS = 2.0


class LocationAttention(nn.Module):
    """Where to look next: by what is there, by the decoder's state, and by where it looked last.

    Parameters
    ----------
    content, state
        Dimensions of what is looked at, and of the decoder's state.
    config
        `attention` (size of the comparison), `filters` and `reach` (how many steps to each side
        they see of the last weights).
    """

    def __init__(self, content: int, state: int, config: Mapping) -> None:
        super().__init__()
        size, filters, reach = config["attention"], config["filters"], config["reach"]
        self.key = nn.Linear(content, size)
        self.query = nn.Linear(state, size, bias=False)
        self.filters = nn.Conv1d(1, filters, 2 * reach + 1, padding=reach, bias=False)
        self.place = nn.Linear(filters, size, bias=False)
        self.score = nn.Linear(size, 1)

    def forward(
        self, keys: torch.Tensor, state: torch.Tensor, last: torch.Tensor, valid: torch.Tensor
    ) -> torch.Tensor:
        """Return weights of shape (utterances, steps) that add up to 1 inside each utterance."""
        place = self.place(self.filters(last[:, None]).transpose(1, 2))
        scores = self.score(torch.tanh(keys + self.query(state)[:, None] + place)).squeeze(2)
        return (SHARPNESS * scores).masked_fill(~valid, -torch.inf).softmax(dim=1)


class AttentionDecoder(nn.Module):
    """Content of utterances to scores of their units, given the units before.

    Parameters
    ----------
    content
        Dimensions of the content.
    units
        How many units there are, number 0 included.
    config
        `decoder` of a network of config/content: `attention`, `filters`, `reach`, `layers`,
        `width`.
    """

    def __init__(self, content: int, units: int, config: Mapping) -> None:
        super().__init__()
        width = config["width"]
        self.attention = LocationAttention(content, width, config)
        self.embedding = nn.Embedding(units, width)
        sizes = [width + content, *[width] * (config["layers"] - 1)]
        self.cells = nn.ModuleList(nn.LSTMCell(size, width) for size in sizes)
        self.output = nn.Linear(width, units)

    def forward(
        self, content: torch.Tensor, lengths: torch.Tensor, targets: Sequence[torch.Tensor]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return scores of (utterances, units + 1, vocabulary), and the units that are right.

        Parameters
        ----------
        content
            Shape (utterances, steps, content).
        lengths
            Steps of each utterance.
        targets
            Unit numbers of each; the end follows them.
        """
        expected = right_units(targets).to(content.device)
        # What comes after the end of a shorter utterance is not counted.
        known = self.embedding(expected.clamp(min=END))
        valid = inside(lengths, content.shape[1])
        keys = self.attention.key(content)
        weights = valid / lengths[:, None]
        zeros = content.new_zeros(len(content), self.output.in_features)
        states = [(zeros, zeros)] * len(self.cells)
        last = self.embedding(expected.new_full((len(content),), END))
        found = []
        for step in range(expected.shape[1]):
            weights = self.attention(keys, states[-1][0], weights, valid)
            seen = torch.einsum("us,usc->uc", weights, content)
            values = torch.cat([last, seen], dim=1)
            for number, cell in enumerate(self.cells):
                states = [*states[:number], cell(values, states[number]), *states[number + 1 :]]
                values = states[number][0]
            found.append(values)
            last = known[:, step]
        return self.output(torch.stack(found, dim=1)), expected


def right_units(targets: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return the units to spell, each utterance's end behind its last one.

    Examples
    --------
    >>> right_units([torch.tensor([3, 1]), torch.tensor([2])]).tolist()
    [[3, 1, 0], [2, 0, -1]]
    """
    ended = [torch.cat([target, target.new_tensor([END])]) for target in targets]
    return pad_sequence(ended, batch_first=True, padding_value=UNUSED)


def spelling_loss(scores: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy of a unit."""
    return cross_entropy(scores.transpose(1, 2), expected, ignore_index=UNUSED)
