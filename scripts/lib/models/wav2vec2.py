"""SpeechBrain's recogniser on top of wav2vec 2.0, as others trained it: the ASR of 2024.

A model is a folder with `hyperparams.yaml`, which says how the network is built, the checkpoints
it names, and `tokenizer.ckpt`. Characters are read off greedily, without a language model.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from hyperpyyaml import load_hyperpyyaml
from speechbrain.dataio.encoder import CTCTextEncoder
from speechbrain.inference.ASR import EncoderASR
from torch.nn.utils.rnn import pad_sequence

# Without this package SpeechBrain's wrapper of wav2vec 2.0 cannot be loaded.
import transformers  # noqa: F401  isort: skip

from scripts.lib.models.hub import model_folder
from scripts.lib.models.training import device

# Where SpeechBrain keeps now what the published files name by its old place.
MOVED = {
    "speechbrain.lobes.models.huggingface_wav2vec.HuggingFaceWav2Vec2": (
        "speechbrain.integrations.huggingface.wav2vec2.Wav2Vec2"
    ),
    "speechbrain.lobes.models.huggingface_transformers.wav2vec2.Wav2Vec2": (
        "speechbrain.integrations.huggingface.wav2vec2.Wav2Vec2"
    ),
}


class Transcriber:
    """A recogniser, ready to listen.

    Parameters
    ----------
    config
        `model` (with its `revision`) and `encoder`: the recogniser and the wav2vec 2.0 model below
        it, whose configuration is read; its weights are those of the recogniser.
    """

    def __init__(self, config: Mapping):
        folder = model_folder(config["model"], config["revision"])
        encoder = model_folder(config["encoder"])
        text = (folder / "hyperparams.yaml").read_text(encoding="utf-8")
        for old, new in MOVED.items():
            text = text.replace(old, new)
        parameters = load_hyperpyyaml(text, {"wav2vec2_hub": str(encoder)})
        for name, part in parameters["pretrainer"].loadables.items():
            _load(part, folder / f"{name}.ckpt")
        self.model = EncoderASR(
            modules=parameters["modules"],
            hparams=parameters,
            run_opts={"device": str(device())},
        )

    def transcribe(self, recordings: Sequence[np.ndarray]) -> list[str]:
        """Return the words of each recording of a batch.

        Shorter recordings are filled up with zeros, and the network normalises over the filled
        length, as in the challenge: a hypothesis depends a little on its batch.
        """
        waves = [torch.from_numpy(np.asarray(samples, np.float32)) for samples in recordings]
        lengths = torch.tensor([len(wave) for wave in waves])
        batch = pad_sequence(waves, batch_first=True)
        words, _ = self.model.transcribe_batch(batch, lengths / lengths.max())
        return list(words)

    @staticmethod
    def normalize(reference: str, hypothesis: str) -> tuple[str, str]:
        """Return both texts as they are compared: punctuation goes from the reference only.

        Examples
        --------
        >>> Transcriber.normalize("WELL, YES. IT'S I!", "WELL YES  ITS I")
        ("WELL YES IT'S I", 'WELL YES  ITS I')
        """
        return " ".join(re.sub("[,!?.]", " ", reference).split()), hypothesis


def _load(part: torch.nn.Module | CTCTextEncoder, path: Path) -> None:
    if isinstance(part, CTCTextEncoder):
        part.load(path)
        return
    try:
        # All weights or an error: a layer left at random would go unnoticed but for the WER.
        part.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    except RuntimeError as error:
        raise ValueError(f"{path}: does not fit hyperparams.yaml beside it: {error}") from error
