"""Which GPUs a training computes on: what its job was granted, never what the code says."""

import os

import torch

VISIBLE = "CUDA_VISIBLE_DEVICES"


def use_gpus(granted: int) -> None:
    """Hide all but the first `granted` GPUs; none at all leaves the CPU.

    A cluster has hidden those of other jobs already, and a machine may have fewer than granted.
    To be called before torch looks for GPUs.
    """
    os.environ[VISIBLE] = visible_gpus(granted, os.environ.get(VISIBLE))


def visible_gpus(granted: int, visible: str | None) -> str:
    """Return the numbers of the GPUs to use, as CUDA_VISIBLE_DEVICES lists them.

    Parameters
    ----------
    granted
        How many the job may use.
    visible
        The GPUs that can be seen so far; None stands for all.

    Examples
    --------
    >>> visible_gpus(2, None), visible_gpus(2, "5,6,7"), visible_gpus(0, "5")
    ('0,1', '5,6', '')
    """
    numbers = map(str, range(granted)) if visible is None else visible.split(",")
    return ",".join(list(filter(None, numbers))[:granted])


def over_gpus(network: torch.nn.Module) -> torch.nn.Module:
    """Return a network that shares its batches out to all GPUs, if there are several.

    Weights stay in `network` itself. Each GPU normalises its own part of a batch, and sums are
    taken in another order, so another number of GPUs gives other bits.
    """
    return torch.nn.DataParallel(network) if torch.cuda.device_count() > 1 else network


def processors(threads: int) -> str:
    """Name what a training computes on, for its model card."""
    names = [torch.cuda.get_device_name(n) for n in range(torch.cuda.device_count())]
    return ", ".join(names) or f"CPU, {threads} thread{'s' if threads > 1 else ''}"
