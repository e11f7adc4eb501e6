"""Discriminators of HiFi-GAN (Kong et al., NeurIPS 2020) and the losses that they give."""

import torch
from torch import nn
from torch.nn.functional import avg_pool1d, leaky_relu
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

PERIODS = (2, 3, 5, 7, 11)
PERIOD_CHANNELS = (32, 128, 512, 1024, 1024)
# Channels, kernel, stride and groups of each layer.
SCALE_LAYERS = (
    (128, 15, 1, 1),
    (128, 41, 2, 4),
    (256, 41, 2, 16),
    (512, 41, 4, 16),
    (1024, 41, 4, 16),
    (1024, 41, 1, 16),
    (1024, 5, 1, 1),
)
SCALES = 3
SLOPE = 0.1
# Widths are multiples of the number of groups.
GROUPS = 16
Judgement = tuple[torch.Tensor, list[torch.Tensor]]


class Period(nn.Module):
    """Judge a waveform folded at one period, so that columns hold every n-th sample."""

    def __init__(self, period: int, width: float):
        super().__init__()
        self.period = period
        sizes = [1, *(_narrowed(channels, width) for channels in PERIOD_CHANNELS)]
        # The last of them moves by single steps.
        strides = [3] * (len(PERIOD_CHANNELS) - 1) + [1]
        self.layers = nn.ModuleList(
            weight_norm(nn.Conv2d(before, after, (5, 1), (stride, 1), padding=(2, 0)))
            for before, after, stride in zip(sizes, sizes[1:], strides, strict=False)
        )
        self.output = weight_norm(nn.Conv2d(sizes[-1], 1, (3, 1), padding=(1, 0)))

    def forward(self, waves: torch.Tensor) -> Judgement:
        """Return a judgement and the outputs of all layers, for waves of shape (batch, samples)."""
        missing = -waves.shape[1] % self.period
        if missing:
            # Mirrored by hand: the gradient of such padding has no fixed order on a GPU.
            waves = torch.cat([waves, waves[:, -1 - missing : -1].flip(1)], dim=1)
        return _judge(waves.view(len(waves), 1, -1, self.period), self.layers, self.output)


class Scale(nn.Module):
    """Judge a waveform at one sampling rate."""

    def __init__(self, width: float, *, spectral: bool):
        super().__init__()
        norm = spectral_norm if spectral else weight_norm
        before, layers = 1, []
        for channels, kernel, stride, groups in SCALE_LAYERS:
            after = _narrowed(channels, width)
            layer = nn.Conv1d(before, after, kernel, stride, kernel // 2, groups=groups)
            layers.append(norm(layer))
            before = after
        self.layers = nn.ModuleList(layers)
        self.output = norm(nn.Conv1d(before, 1, 3, padding=1))

    def forward(self, waves: torch.Tensor) -> Judgement:
        """Return a judgement and the outputs of all layers, for waves of shape (batch, samples)."""
        return _judge(waves[:, None], self.layers, self.output)


class Discriminators(nn.Module):
    """Five periods and three scales.

    Parameters
    ----------
    width
        Share of the published numbers of channels.
    """

    def __init__(self, width: float):
        super().__init__()
        self.periods = nn.ModuleList(Period(period, width) for period in PERIODS)
        self.scales = nn.ModuleList(Scale(width, spectral=not n) for n in range(SCALES))

    def forward(self, waves: torch.Tensor) -> list[Judgement]:
        """Return all judgements of waveforms of shape (batch, samples)."""
        judgements = [period(waves) for period in self.periods]
        for place, scale in enumerate(self.scales):
            if place:
                waves = avg_pool1d(waves[:, None], 4, 2, padding=2)[:, 0]
            judgements.append(scale(waves))
        return judgements


def discriminator_loss(real: list[Judgement], made: list[Judgement]) -> torch.Tensor:
    """Return how far judgements are from one for recordings and from zero for the others."""
    pairs = zip(real, made, strict=True)
    return sum((1 - one[0]).square().mean() + other[0].square().mean() for one, other in pairs)


def generator_loss(made: list[Judgement]) -> torch.Tensor:
    """Return how far judgements of made speech are from one."""
    return sum((1 - score).square().mean() for score, _ in made)


def matching_loss(real: list[Judgement], made: list[Judgement]) -> torch.Tensor:
    """Return how far the layers' outputs for made speech are from those for recordings."""
    return sum(
        (one.detach() - other).abs().mean()
        for (_, ones), (_, others) in zip(real, made, strict=True)
        for one, other in zip(ones, others, strict=True)
    )


def mean_scores(judgements: list[Judgement]) -> float:
    """Return the mean of all judgements."""
    return float(torch.stack([score.detach().mean() for score, _ in judgements]).mean())


def _judge(hidden: torch.Tensor, layers: nn.ModuleList, output: nn.Module) -> Judgement:
    outputs = []
    for layer in layers:
        hidden = leaky_relu(layer(hidden), SLOPE)
        outputs.append(hidden)
    score = output(hidden)
    return score.flatten(1), [*outputs, score]


def _narrowed(channels: int, width: float) -> int:
    return max(1, round(channels * width / GROUPS)) * GROUPS
