"""Measure how fast the parts of chain systems are, on one core.

Run from the repository with one thread, after the study `demo_neural`:

    OMP_NUM_THREADS=1 python -m benchmarks.chain_synthesis [KIT] [DATASET]
"""

import importlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.catalogue import Catalogue
from scripts.lib.configuration import load_yaml
from scripts.lib.manifest import read_manifests
from scripts.lib.models.training import load_state, use_threads

RESULTS = Path("results")
UTTERANCES = 60


def main(kit: str = "synth_small", dataset: str = "synth_test") -> None:
    if os.environ.get("OMP_NUM_THREADS") != "1":
        raise SystemExit("set OMP_NUM_THREADS=1, or threads hide the cost per core")
    use_threads(1)
    entries = Catalogue("config", load_yaml("config/config.yaml"))
    manifest = read_manifests(sorted((RESULTS / "audio/orig" / dataset).glob("*.tsv")))
    speech = [read_audio(path) for path in manifest["path"][:UTTERANCES]]
    seconds = sum(map(len, speech)) / RATE_HZ
    print(f"{len(speech)} utterances, {seconds:.0f} s, load {os.getloadavg()[0]:.1f}")
    for name, parts in entries["kits"][kit]["chains"].items():
        acoustic = entries["acoustic"][parts["acoustic"]]
        if not model_file("acoustic", parts["acoustic"]).exists():
            print(f"{name}: {parts['acoustic']} is not trained")
            continue
        spent = times(speech, acoustic, parts, entries)
        print(name, *(f"{part} {seconds / taken:.0f} x" for part, taken in spent.items()), sep=", ")
        print(f"{name}, all together: {seconds / sum(spent.values()):.0f} x real time")


def times(
    speech: list[np.ndarray], acoustic: Mapping, parts: Mapping, entries: Mapping
) -> dict[str, float]:
    """Return the CPU seconds that each part of a chain takes for all utterances."""
    extractor = load("content", acoustic["content"], "Extractor", entries)
    spent: dict[str, float] = {}
    content = timed(spent, "content", lambda: [extractor.features(samples) for samples in speech])
    vocoder = entries["vocoder"].get(parts.get("vocoder"), {})
    tracker = acoustic.get("pitch", vocoder.get("pitch"))
    f0 = [np.zeros(len(frames), dtype=np.float32) for frames in content]
    if tracker:
        config = entries["pitch"][tracker]
        backend = importlib.import_module(f"scripts.lib.pitch.{config['backend']}")
        track = partial(backend.track, config=config)
        f0 = timed(spent, "pitch", lambda: [track(samples) for samples in speech])
    speaker = load("acoustic", parts["acoustic"], "Synthesizer", entries)
    state = load_state(model_file("acoustic", parts["acoustic"]))
    rng = np.random.default_rng(0)
    vector = rng.normal(size=state["sizes"]["vector"])
    pairs = list(zip(content, f0, strict=True))
    if "vocoder" not in parts:
        timed(spent, "speech", lambda: [speaker.wave(c, f, vector, rng) for c, f in pairs])
        return spent
    mels = timed(spent, "acoustic model", lambda: [speaker.mel(c, f, vector) for c, f in pairs])
    voice = load("vocoder", parts["vocoder"], "Vocoder", entries)
    spoken = list(zip(mels, f0, strict=True))
    timed(spent, "vocoder", lambda: [voice.wave(m, f, vector, rng) for m, f in spoken])
    return spent


def timed(spent: dict[str, float], part: str, work: Callable[[], list]) -> list:
    work()
    start = time.process_time()
    done = work()
    spent[part] = time.process_time() - start
    return done


def load(kind: str, name: str, what: str, entries: Mapping) -> object:
    entry = entries[kind][name]
    backend = importlib.import_module(f"scripts.lib.models.{entry['backend']}")
    state = load_state(model_file(kind, name)) if "training_data" in entry else None
    return getattr(backend, what)(state, entry)


def model_file(kind: str, name: str) -> Path:
    return RESULTS / kind / name / "model.pt"


if __name__ == "__main__":
    main(*sys.argv[1:])
