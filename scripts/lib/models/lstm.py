"""LSTM layers over utterances of different lengths, in one direction or in both.

Utterances are padded behind their ends, and a backward layer reads each from its own last frame on,
so that no result depends on who shares a batch. Packed sequences would do the same, but training
on the CPU takes ten times as long with them.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


class Lstm(nn.Module):
    """Frames of utterances to as many frames, which have seen the others of their utterance.

    Parameters
    ----------
    size
        Dimensions of a frame.
    width
        Size of a layer in each direction.
    layers
        How many there are.
    both_ways
        Whether each layer reads backwards, too; its output is then twice as wide.
    dropout
        Share of values dropped between two layers in training.
    """

    def __init__(
        self, size: int, width: int, layers: int, *, both_ways: bool, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.width = width * (2 if both_ways else 1)
        sizes = [size, *[self.width] * (layers - 1)]
        self.forwards = nn.ModuleList(nn.LSTM(n, width, batch_first=True) for n in sizes)
        self.backwards = nn.ModuleList(
            nn.LSTM(n, width, batch_first=True) for n in (sizes if both_ways else [])
        )
        self.dropout = nn.Dropout(dropout)

    def forward(self, frames: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Map (utterances, frames, size) to (utterances, frames, width); padding is anything."""
        order = reading_order(lengths, frames.shape[1])[:, :, None]
        for number, layer in enumerate(self.forwards):
            frames = self.dropout(frames) if number else frames
            found = [layer(frames)[0]]
            if self.backwards:
                turned = frames.gather(1, order.expand_as(frames))
                other = self.backwards[number](turned)[0]
                found.append(other.gather(1, order.expand_as(other)))
            frames = torch.cat(found, dim=2)
        return frames


def reading_order(lengths: torch.Tensor, longest: int) -> torch.Tensor:
    """Return from which frame each place is filled when utterances are turned round.

    Examples
    --------
    >>> reading_order(torch.tensor([3, 2]), 3).tolist()
    [[2, 1, 0], [1, 0, 2]]
    """
    places = torch.arange(longest, device=lengths.device)[None]
    turned = lengths[:, None] - 1 - places
    return torch.where(turned >= 0, turned, places)


def padded(utterances: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return utterances of shape (frames, size) side by side, and their lengths."""
    lengths = torch.tensor([len(frames) for frames in utterances], device=utterances[0].device)
    return pad_sequence(list(utterances), batch_first=True), lengths


def inside(lengths: torch.Tensor, longest: int) -> torch.Tensor:
    """Return which places of padded utterances hold a frame.

    Examples
    --------
    >>> inside(torch.tensor([2, 1]), 2).tolist()
    [[True, True], [True, False]]
    """
    return torch.arange(longest, device=lengths.device)[None] < lengths[:, None]
