"""Cut batches into parts that fit into memory, without changing what a step learns from."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

logger = logging.getLogger(__name__)


class BatchParts:
    """How many parts a batch is cut into: one, doubled whenever memory runs out.

    Gradients of the parts add up to that of the batch, so a step stays the same where every item's
    loss is its own. Batch normalisation sees a part only: its statistics are then those of fewer
    items.

    Parameters
    ----------
    smallest
        Fewest items of a part.
    """

    def __init__(self, smallest: int = 1) -> None:
        self.count, self.smallest = 1, smallest

    def backward(
        self,
        optimizer: torch.optim.Optimizer,
        size: int,
        loss_of: Callable[[slice], tuple[torch.Tensor, Any]],
    ) -> tuple[float, list[Any]]:
        """Leave the gradient of a batch in the optimiser's parameters.

        Parameters
        ----------
        optimizer
            Its gradients are cleared first.
        size
            Items of the batch.
        loss_of
            Maps a slice of the batch to its share of the batch's loss and to anything else that
            is wanted of each part.

        Returns
        -------
        tuple
            The batch's loss, and what else came of each part.
        """
        while True:
            optimizer.zero_grad()
            loss, others = 0.0, []
            try:
                for part in self.slices(size):
                    share, other = loss_of(part)
                    share.backward()
                    loss += float(share.detach())
                    others.append(other)
                return loss, others
            except RuntimeError as error:
                if not _is_out_of_memory(error) or size // (2 * self.count) < self.smallest:
                    raise
            # Outside of `except`, which would keep the failed attempt's tensors alive.
            self.count *= 2
            logger.warning("out of memory: batches are computed in %d parts", self.count)
            if torch.cuda.is_available():
                torch.cuda.empty_cache()

    def slices(self, size: int) -> Sequence[slice]:
        """Return the parts of a batch, of nearly equal size.

        Examples
        --------
        >>> parts = BatchParts()
        >>> parts.count = 2
        >>> parts.slices(5)
        [slice(0, 3, None), slice(3, 5, None)]
        """
        # A last batch may be too small for all parts.
        count = max(1, min(self.count, size // self.smallest))
        ends = np.cumsum([len(part) for part in np.array_split(np.arange(size), count)]).tolist()
        return [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _is_out_of_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
