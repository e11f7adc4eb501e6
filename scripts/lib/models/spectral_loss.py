"""Distances between waveforms by their spectra at three resolutions."""

from collections.abc import Iterator

import torch
from torch.nn.functional import l1_loss, mse_loss

# FFT, hop and window in samples.
RESOLUTIONS = ((512, 80, 320), (128, 40, 80), (2048, 640, 1920))
LOWEST_MAGNITUDE = 1e-3
LOWEST_POWER = 1e-5


def stft_loss(ours: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """Return the mean over resolutions of log-magnitude L1 and spectral convergence.

    Parameters
    ----------
    ours, theirs
        Waveforms of shape (batch, samples); the second is the reference.
    """
    losses = []
    for one, other in _power_pairs(ours, theirs):
        magnitude, reference = (
            power.clamp_min(LOWEST_MAGNITUDE**2).sqrt() for power in (one, other)
        )
        convergence = (reference - magnitude).norm() / reference.norm()
        losses.append(l1_loss(magnitude.log(), reference.log()) + convergence)
    return torch.stack(losses).mean()


def log_power_distance(ours: torch.Tensor, theirs: torch.Tensor, *, squared: bool) -> torch.Tensor:
    """Return the sum over resolutions of the mean squared or absolute error of log power spectra.

    Examples
    --------
    >>> wave = torch.sin(torch.arange(4000.0))[None]
    >>> float(log_power_distance(wave, wave, squared=True))
    0.0
    """
    distance = mse_loss if squared else l1_loss
    pairs = _power_pairs(ours, theirs)
    return sum(distance((a + LOWEST_POWER).log(), (b + LOWEST_POWER).log()) for a, b in pairs)


def _power_pairs(
    ours: torch.Tensor, theirs: torch.Tensor
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    for fft, hop, width in RESOLUTIONS:
        window = torch.hann_window(width, device=ours.device)
        yield tuple(
            # Without padding: its gradient has no fixed order of sums on a GPU.
            torch.view_as_real(
                torch.stft(wave, fft, hop, width, window, center=False, return_complex=True)
            )
            .square()
            .sum(dim=-1)
            for wave in (ours, theirs)
        )
