"""Reverse a gradient on its way back, so that what lies before works against what lies behind.

It belongs between the shared representation and the branch, and only the branch may see what it
returns: fed to the main task too, it would reverse that gradient as well.
"""

import math
from typing import Any

import torch


class _Reversal(torch.autograd.Function):
    @staticmethod
    def forward(
        context: torch.autograd.function.FunctionCtx, values: torch.Tensor, strength: float
    ):
        context.strength = strength
        return values.view_as(values)

    @staticmethod
    def backward(context: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        return -context.strength * gradient, None


def reverse_gradient(values: torch.Tensor, strength: float) -> torch.Tensor:
    """Return the same values; their gradient is multiplied by -strength.

    Examples
    --------
    >>> values = torch.tensor([2.0], requires_grad=True)
    >>> (3 * reverse_gradient(values, 0.5)).backward()
    >>> values.grad.item()
    -1.5
    """
    return _Reversal.apply(values, strength)


def reversal_strength(progress: float, highest: float) -> float:
    """Return λ = highest · (2 / (1 + exp(-10 p)) - 1), from 0 at p = 0 nearly to the highest at 1.

    Examples
    --------
    >>> [round(reversal_strength(p, 0.1), 4) for p in (0.0, 0.5, 1.0)]
    [0.0, 0.0987, 0.1]
    """
    return highest * (2.0 / (1.0 + math.exp(-10.0 * progress)) - 1.0)
