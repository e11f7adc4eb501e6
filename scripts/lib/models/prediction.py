"""Log-mel spectra that an acoustic model predicts, for a vocoder to be trained on."""

import importlib
from collections.abc import Sequence

from scripts.lib.models.speech_frames import Predict
from scripts.lib.models.training import load_state


def predictor(files: Sequence[str] | None) -> Predict | None:
    """Return what maps content, pitch and vector to log-mel, or nothing without a model.

    Parameters
    ----------
    files
        The model of an acoustic entry, or none.
    """
    if not files:
        return None
    (file,) = files
    state = load_state(file)
    backend = importlib.import_module(f"scripts.lib.models.{state['config']['backend']}")
    return backend.Synthesizer(state, state["config"]).mel
