"""What chains of the plans speak with at full width: sizes by hand, a few steps of training."""

import importlib
import math

import numpy as np
import pytest
import torch

from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.embeddings import load_embeddings, save_embeddings
from scripts.lib.feature_store import read_features, write_features
from scripts.lib.models.tdnnf import TdnnfLayer
from scripts.lib.models.tdnnf_bottleneck import Extractor, Training
from scripts.lib.models.training import use_threads
from tests.unit.models.spelled_tones import record
from tests.unit.models.tiny_speech import make_speech

CONTENT, VECTOR, MEL = 256, 512, 80


def linear(inputs: int, outputs: int) -> int:
    return inputs * outputs + outputs


def lstm(inputs: int, size: int) -> int:
    return 4 * size * (inputs + size) + 8 * size


def autoregressive(frame: int) -> int:
    """Count what a frame of so many numbers and a vector pass through (systems.md 2.7)."""
    forward = linear(frame + VECTOR, 512) + linear(512, 512) + 2 * lstm(512, 128)
    decoder = 2 * linear(MEL, MEL) + lstm(256 + MEL, 512) + lstm(512, 512) + linear(512, MEL)
    return forward + decoder + 5 * linear(5 * MEL, MEL)


def nsf(frame: int) -> int:
    """Count the network of systems.md 2.8: a context, five blocks of ten layers, one of five."""
    context = 2 * lstm(frame + VECTOR, 32) + linear(3 * 64, 64)
    ends = linear(1, 64) + linear(64, 16) + linear(16, 1)
    return context + linear(8, 1) + 6 * ends + 55 * linear(3 * 64, 64)


@pytest.fixture
def speech(tmp_path):
    """A few made-up utterances with content and vectors as wide as those of the plan."""
    table, files = make_speech(tmp_path, speakers=2, utterances=2)
    rng = np.random.default_rng(0)
    wide = {"content": rng.normal(size=(3, CONTENT)), "vectors": rng.normal(size=(6, VECTOR))}
    content = read_features(*files["content"])
    widened = [(name, frames @ wide["content"]) for name, frames in content.items()]
    write_features(tmp_path / "wide.npz", widened)
    vectors = load_embeddings(files["vectors"])
    save_embeddings(
        tmp_path / "voices.npz", {name: v @ wide["vectors"] for name, v in vectors.items()}
    )
    wide_files = {"content": [tmp_path / "wide.npz"], "vectors": [tmp_path / "voices.npz"]}
    return table, {**files, **wide_files}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "size"),
    [
        ("acoustic", "autoregressive_plan", autoregressive(CONTENT + 2)),
        # Filter-banks as content, and no pitch.
        ("acoustic", "autoregressive_fbank_plan", autoregressive(CONTENT)),
        ("acoustic", "joint_nsf_plan", nsf(CONTENT)),
        ("vocoder", "hn_sinc_nsf_plan", nsf(MEL)),
    ],
)
def test_what_speaks_in_the_plans_learns_at_its_full_width(speech, kind, name, size):
    entry = Catalogue("config", load_yaml("config/config.yaml"))[kind][name]
    table, files = speech
    use_threads(1)
    heard = {key: files[key] for key in ("content", "pitch", "vectors") if key in entry}
    entry = {**entry, "updates": 3, "report_updates": 3, "batch": 2, "crop_frames": 32}
    backend = importlib.import_module(f"scripts.lib.models.{entry['backend']}")
    training = backend.Training(table, entry, 0, 1, heard)
    assert sum(weights.numel() for weights in training.network.parameters()) == size
    before = [weights.detach().clone() for weights in training.network.parameters()]
    figures = training.run_epoch(1)
    assert all(math.isfinite(value) for value in figures.values())
    moved = zip(before, training.network.parameters(), strict=True)
    assert all(not torch.equal(old, new) for old, new in moved)
    assert sorted(training.model()) == ["config", "sizes", "weights"]


@pytest.mark.slow
def test_the_content_extractor_of_the_plans_learns_at_its_full_width(tmp_path):
    entry = Catalogue("config", load_yaml("config/config.yaml"))["content"]["tdnnf_plan"]
    # The lexicon is not here: letters stand in for phones.
    small = {"units": {"kind": "characters", "characters": "ABC"}, "validation_speakers": 1}
    training = {**entry["training"], "batch_s": 2.0, "warmup": 0}
    entry = {**entry, **small, "updates": 3, "report_updates": 3, "training": training}
    task = Training(record(tmp_path, ["AB C", "CA BB", "B AC"]), entry, 0, 1)
    factored = [module for module in task.network.modules() if isinstance(module, TdnnfLayer)]
    # Sixteen layers before the content, one after it.
    assert len(factored) == 17
    assert math.isfinite(task.run_epoch(1)["train_loss"])
    spoken = Extractor(task.model(), entry).features(np.random.default_rng(0).normal(size=16000))
    assert spoken.shape == (100, CONTENT)
