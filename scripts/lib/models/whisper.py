"""Whisper (Radford et al., 2023) as others trained it, through transformers."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from transformers import WhisperForConditionalGeneration, WhisperProcessor
from transformers.models.whisper.english_normalizer import EnglishTextNormalizer

from scripts.lib.audio import RATE_HZ
from scripts.lib.models.hub import model_folder
from scripts.lib.models.training import device

# The length that the network was made for.
WINDOW_S = 30


class Transcriber:
    """A recogniser of English, ready to listen; words are searched for greedily.

    Parameters
    ----------
    config
        `model` and its `revision`, in the format of transformers.
    """

    def __init__(self, config: Mapping):
        folder = model_folder(config["model"], config["revision"])
        self.processor = WhisperProcessor.from_pretrained(folder)
        self.model = WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32)
        self.model.to(device()).eval()
        spelling = getattr(self.processor.tokenizer, "english_spelling_normalizer", None)
        self._normalizer = EnglishTextNormalizer(spelling or {})

    @torch.inference_mode()
    def transcribe(self, recordings: Sequence[np.ndarray]) -> list[str]:
        """Return the words of each recording of a batch, as Whisper writes them."""
        longest = max(len(samples) for samples in recordings)
        whole = {"truncation": False, "padding": "longest", "return_attention_mask": True}
        long = longest > WINDOW_S * RATE_HZ
        inputs = self.processor(
            [np.asarray(samples, np.float32) for samples in recordings],
            sampling_rate=RATE_HZ,
            return_tensors="pt",
            **(whole if long else {}),
        ).to(device())
        # Models of English alone know no languages to choose from.
        several = getattr(self.model.generation_config, "lang_to_id", None)
        tokens = self.model.generate(
            **inputs,
            do_sample=False,
            num_beams=1,
            # Longer recordings are heard window by window, cut where a time stamp says.
            return_timestamps=long,
            **({"language": "en", "task": "transcribe"} if several else {}),
        )
        return [
            text.strip() for text in self.processor.batch_decode(tokens, skip_special_tokens=True)
        ]

    def normalize(self, reference: str, hypothesis: str) -> tuple[str, str]:
        """Return both texts after Whisper's English rules (appendix C of the paper).

        Small letters, no punctuation or hesitations, contractions written out, numbers in digits.
        """
        return self._normalizer(reference), self._normalizer(hypothesis)
