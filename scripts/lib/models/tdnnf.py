"""Factored time-delay network (TDNN-F, Povey et al., Interspeech 2018).

Each layer is a product of two thin matrices; the first is kept semi-orthogonal, so that the
bottleneck between them loses as little as it can.
"""

from collections.abc import Sequence

import torch
from torch import nn

from scripts.lib.models.batching import Frames, shift


class TdnnfLayer(nn.Module):
    """Bottleneck over frames t−s and t, affine map over t and t+s, ReLU, batch norm, bypass.

    Parameters
    ----------
    width, bottleneck
        Sizes of the layer and of the space between its factors.
    stride
        The s above, in frames of the layer; 0 looks at frame t only.
    dropout
        Share of outputs set to zero in training.
    bypass
        Factor of the input that is added to the output.
    """

    def __init__(
        self, width: int, bottleneck: int, stride: int, *, dropout: float, bypass: float
    ) -> None:
        super().__init__()
        self.stride, self.bypass = stride, bypass
        taps = 2 if stride else 1
        self.factor = nn.Linear(width, taps * bottleneck, bias=False)
        self.affine = nn.Linear(taps * bottleneck, width)
        # As in Kaldi, without a learned scale and offset: the next layer has its own.
        self.norm = nn.BatchNorm1d(width, affine=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, frames: torch.Tensor, layout: Frames) -> torch.Tensor:
        """Map (frames, width) to (frames, width)."""
        narrow = self.factor(frames)
        if self.stride:
            past, present = narrow.chunk(2, dim=1)
            narrow = shift(past, -self.stride, layout) + present
            narrow = torch.cat([narrow, shift(narrow, self.stride, layout)], dim=1)
        hidden = self.dropout(self.norm(torch.relu(self.affine(narrow))))
        return hidden + self.bypass * frames

    @torch.no_grad()
    def constrain(self) -> None:
        """Move the first factor one step towards the nearest multiple of a semi-orthogonal one.

        With M its matrix of shape (bottleneck, inputs) and P = M Mᵀ, the scale that needs the
        least change is α² = tr(P Pᵀ) / tr(P), and M ← M − ½ α⁻² (P − α² I) M (Povey et al.,
        section 2, with Kaldi's rate of 1/8).
        """
        taps = 2 if self.stride else 1
        matrix = torch.cat(self.factor.weight.chunk(taps, dim=0), dim=1)
        gram = matrix @ matrix.T
        scale = (gram * gram).sum() / gram.trace()
        error = gram - scale * torch.eye(len(gram), device=gram.device)
        matrix = matrix - 0.5 / scale * (error @ matrix)
        self.factor.weight.copy_(torch.cat(matrix.chunk(taps, dim=1), dim=0))


class Tdnnf(nn.Module):
    """Trunk of a recogniser: features every 10 ms in, hidden frames every `subsampling` out.

    Parameters
    ----------
    inputs
        Size of a feature frame.
    width, bottleneck
        Sizes of the layers.
    context
        The input layer sees frames t−context … t+context.
    strides
        One layer per value, in frames of 10 ms.
    subsampling
        Every how many frames there is an output. Frames that no output depends on are not
        computed: the rate falls as soon as all later strides are multiples of this.
    dropout, bypass
        See `TdnnfLayer`.
    """

    def __init__(
        self,
        inputs: int,
        *,
        width: int,
        bottleneck: int,
        context: int,
        strides: Sequence[int],
        subsampling: int,
        dropout: float,
        bypass: float,
    ) -> None:
        super().__init__()
        self.context, self.subsampling = context, subsampling
        self.entry = nn.Linear((2 * context + 1) * inputs, width)
        self.norm = nn.BatchNorm1d(width, affine=False)
        self.fast = 0
        for place, stride in enumerate(strides, 1):
            if stride % subsampling:
                self.fast = place
        self.layers = nn.ModuleList(
            TdnnfLayer(
                width,
                bottleneck,
                stride if place < self.fast else stride // subsampling,
                dropout=dropout,
                bypass=bypass,
            )
            for place, stride in enumerate(strides)
        )

    def forward(self, features: torch.Tensor, layout: Frames) -> tuple[torch.Tensor, Frames]:
        """Map (frames, inputs) to the hidden frames and their layout."""
        offsets = range(-self.context, self.context + 1)
        frames = torch.cat([shift(features, offset, layout) for offset in offsets], dim=1)
        if not self.fast:
            frames, layout = self._thin(frames, layout)
        frames = self.norm(torch.relu(self.entry(frames)))
        for layer in self.layers[: self.fast]:
            frames = layer(frames, layout)
        if self.fast:
            frames, layout = self._thin(frames, layout)
        for layer in self.layers[self.fast :]:
            frames = layer(frames, layout)
        return frames, layout

    def constrain(self) -> None:
        """Apply the semi-orthogonal constraint to every layer."""
        for layer in self.layers:
            layer.constrain()

    def _thin(self, frames: torch.Tensor, layout: Frames) -> tuple[torch.Tensor, Frames]:
        kept, rows = layout.keep_every(self.subsampling)
        return frames[rows], kept
