"""Read emotion models that SpeechBrain's IEMOCAP recipe has saved, one folder per fold."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from scripts.lib.models.training import load_state

ENCODER, HEAD, LABELS = "wav2vec2.ckpt", "model.ckpt", "label_encoder.txt"
LABEL = re.compile(r"^'(\w+)' => (\d+)$", re.MULTILINE)


class FoldCheckpoint(NamedTuple):
    """Weights of one fold: the encoder's by name, and the linear layer's, shape (classes, dim)."""

    folder: Path
    encoder: dict[str, torch.Tensor]
    head: torch.Tensor


def read_fold_checkpoint(folder: str | Path, classes: Sequence[str]) -> FoldCheckpoint:
    """Return the weights of one fold, the rows of the linear layer in the order of `classes`.

    Parameters
    ----------
    folder
        Holds wav2vec2.ckpt, model.ckpt and label_encoder.txt, or one folder `CKPT+…` with the
        weights.
    classes
        Names that the label encoder numbers.
    """
    found = checkpoint_folder(folder)
    labels = next((p for p in (found / LABELS, found.parent / LABELS) if p.is_file()), None)
    if labels is None:
        raise ValueError(f"{found}: lacks {LABELS}, which says what the outputs mean")
    number_of = {name: int(place) for name, place in LABEL.findall(labels.read_text("utf-8"))}
    if sorted(number_of[name] for name in classes if name in number_of) != [*range(len(classes))]:
        raise ValueError(f"{labels}: expected numbers for {', '.join(classes)}, found {number_of}")
    encoder = {
        key.removeprefix("model."): value for key, value in load_state(found / ENCODER).items()
    }
    matrices = [value for value in load_state(found / HEAD).values() if value.ndim == 2]
    if len(matrices) != 1 or len(matrices[0]) != len(classes):
        raise ValueError(f"{found / HEAD}: expected one matrix of {len(classes)} rows and no bias")
    return FoldCheckpoint(found, encoder, matrices[0][[number_of[name] for name in classes]])


def checkpoint_folder(folder: str | Path) -> Path:
    """Return the folder itself or the one `CKPT+…` in it that holds the weights."""
    folder = Path(folder)
    found = [p for p in (folder, *sorted(folder.glob("CKPT+*"))) if (p / ENCODER).is_file()]
    if len(found) != 1:
        problem = "several of its folders hold" if found else "neither it nor a folder CKPT+… holds"
        raise ValueError(f"{folder}: {problem} {ENCODER}; `checkpoints` names one for each fold")
    if not (found[0] / HEAD).is_file():
        raise ValueError(f"{found[0]}: lacks {HEAD}")
    return found[0]
