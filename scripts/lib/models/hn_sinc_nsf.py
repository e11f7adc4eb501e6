"""Vocoder at the sample rate: log-mel, pitch and, if wanted, a speaker vector to a waveform."""

import torch

from scripts.lib.models.nsf import Nsf, draw_sources
from scripts.lib.models.spectral_loss import log_power_distance
from scripts.lib.models.wave_training import Batch, Voice, WaveTraining


class Training(WaveTraining):
    """One training run: squared errors of log power spectra at three resolutions."""

    network_class, frames_are = Nsf, "mel"
    draw_sources = staticmethod(draw_sources)

    def loss(self, batch: Batch) -> torch.Tensor:
        """Return the loss of a batch."""
        return log_power_distance(self.speak(batch), batch[0].samples, squared=True)


class Vocoder(Voice):
    """A trained vocoder, ready to speak."""

    network_class = Nsf
    draw_sources = staticmethod(draw_sources)
