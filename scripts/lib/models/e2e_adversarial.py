"""The bottleneck of an end-to-end recogniser that is made to forget who speaks (M1c1).

A branch learns to name the training speakers from the content, and the reversed gradient of its
loss drives the content away from what it finds. In three stages: the recogniser alone, which is the
training of another entry; the branch alone, on the frozen recogniser; both together.
What the branch reaches is no measure of leakage: an encoder can fool one branch and still tell the
speaker. Fresh probes measure it (scripts/lib/speaker_probe.py).
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import torch
from torch import nn
from torch.nn.functional import cross_entropy

from scripts.lib.models import e2e_bottleneck
from scripts.lib.models.content_speech import Batch
from scripts.lib.models.reversal import reversal_strength, reverse_gradient
from scripts.lib.models.speaker_branch import SpeakerBranch
from scripts.lib.models.units import stored_units

# Made of the same parts: the branch is left behind.
Extractor = e2e_bottleneck.Extractor


class Training(e2e_bottleneck.Training):
    """One training run of the last two stages.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    config
        Entry of config/content.
    seed
        Seed of initial weights, batches, masks and phases.
    threads
        Cores of the job.
    """

    def __init__(self, utterances: pd.DataFrame, config: Mapping, seed: int, threads: int):
        self.adversary = config["adversary"]
        alone, first = self.adversary["branch_updates"], config["report_updates"]
        if not first <= alone < config["updates"]:
            raise ValueError(
                f"adversary.branch_updates: {alone} has to lie between report_updates, {first}, "
                "so that the first report shows the recogniser as it came, and updates, "
                f"{config['updates']}"
            )
        self._hits: list[bool] = []
        super().__init__(utterances, config, seed, threads)

    def trained_network(self) -> nn.Module:
        """Return everything that learns."""
        content = self.recogniser.narrow.out_features
        self.branch = SpeakerBranch(content, self.speech.speakers, self.adversary)
        return nn.ModuleDict({"recogniser": self.recogniser, "branch": self.branch})

    def start_from(self, model: Mapping[str, Any]) -> None:
        """Take up a recogniser returned by `model`, and its units."""
        self.speech.use_units(stored_units(model["units"]))
        try:
            self.recogniser.load_state_dict(model["weights"])
        except RuntimeError as error:
            raise ValueError(
                "initialise_from: the network or the units of that entry are not those of this "
                f"one; make `network` and `units` equal ({error})"
            ) from error

    def loss(self, batch: tuple[Batch, int]) -> torch.Tensor:
        """Return the branch's loss, joined by the recogniser's when both are trained."""
        speech, phase = batch
        done = self.step - self.adversary["branch_updates"]
        if done < 0:
            # In evaluation, so that its running statistics stay what they are.
            self.recogniser.eval()
            with torch.no_grad():
                content, lengths = self.recogniser.encode(speech.features, phase)
            return self.branch_loss(content, lengths, speech.speakers)
        self.recogniser.train()
        content, lengths = self.recogniser.encode(speech.features, phase)
        progress = done / (self.config["updates"] - self.adversary["branch_updates"])
        strength = reversal_strength(progress, self.adversary["strength"])
        # Only the branch sees what is reversed; the recogniser goes on with the content itself.
        hidden = self.branch_loss(reverse_gradient(content, strength), lengths, speech.speakers)
        spelled = self.recognition_loss(content, lengths, speech.targets)
        share = self.adversary["recogniser_weight"]
        return share * spelled + (1 - share) * hidden

    def branch_loss(
        self, content: torch.Tensor, lengths: list[int], speakers: torch.Tensor
    ) -> torch.Tensor:
        """Return how badly the branch names the speakers."""
        scores = self.branch(content, lengths)
        self._hits += (scores.argmax(dim=1) == speakers).tolist()
        return cross_entropy(scores, speakers)

    def validate(self) -> dict[str, float]:
        """Return the recogniser's figures, and the branch's on what it was trained on."""
        hits, self._hits = self._hits, []
        return {**super().validate(), "train_branch_accuracy": sum(hits) / len(hits)}
