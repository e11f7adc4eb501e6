"""Who speaks, from content: the opponent of a recogniser that is to forget it."""

from collections.abc import Mapping, Sequence

import torch
from torch import nn

from scripts.lib.models.lstm import Lstm, inside, padded


class SpeakerBranch(nn.Module):
    """Content of utterances to scores of speakers.

    Parameters
    ----------
    content
        Dimensions of the content.
    speakers
        How many there are to tell apart.
    config
        `layers`, `width`, `pooled` and `dropout` of the `adversary` of an entry of config/content.
    """

    def __init__(self, content: int, speakers: int, config: Mapping) -> None:
        super().__init__()
        width = config["width"]
        self.lstm = Lstm(content, width, config["layers"], both_ways=False)
        self.frames = nn.Sequential(
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Dropout(config["dropout"]),
            nn.Linear(width, width),
            nn.ReLU(),
        )
        self.pooled = nn.Linear(2 * width, config["pooled"])
        self.norm = nn.BatchNorm1d(config["pooled"])
        self.output = nn.Linear(config["pooled"], speakers)

    def forward(self, content: torch.Tensor, lengths: Sequence[int]) -> torch.Tensor:
        """Map utterances laid end to end, (frames, content), to (utterances, speakers)."""
        frames, counts = padded(content.split(list(lengths)))
        valid = inside(counts, frames.shape[1])
        rows = self.frames(self.lstm(frames, counts)[valid])
        pooled = torch.stack([mean_and_deviation(own) for own in rows.split(list(lengths))])
        # The last batch of a round may be one utterance, which has no variance among its like.
        self.norm.train(self.training and len(pooled) > 1)
        return self.output(self.norm(self.pooled(pooled)))


def mean_and_deviation(frames: torch.Tensor) -> torch.Tensor:
    """Return the mean of each dimension over time, then their standard deviations.

    Examples
    --------
    >>> mean_and_deviation(torch.tensor([[1.0], [3.0]])).tolist()
    [2.0, 1.0]
    """
    # The gradient of a square root has no end at 0.
    variance = frames.var(dim=0, unbiased=False).clamp(min=1e-6)
    return torch.cat([frames.mean(dim=0), variance.sqrt()])
