"""The step synthesize_shard, with parts whose output tells what they were given."""

import sys
from types import ModuleType

import numpy as np
import pytest

from scripts import synthesize_shard
from scripts.lib.audio import read_audio
from scripts.lib.feature_store import write_features
from scripts.lib.manifest import read_manifests, write_manifest
from scripts.lib.voice_table import VoiceTable, write_voices
from tests.factories import make_utterances

FRAMES = 20
HOP = 160


class Synthesizer:
    """A mel whose bands hold content, pitch and the vector that it heard."""

    def __init__(self, state, config):
        assert state is None

    def mel(self, content, f0, vector):
        return np.stack([content[:, 0], f0 / 1000, np.full(len(f0), vector[0])], axis=1)

    def wave(self, content, f0, vector, rng):
        return np.full(HOP * len(f0), vector[0], dtype=np.float32)


class Vocoder:
    """A level that adds up what the mel holds, the vocoder's own vector, and noise."""

    def __init__(self, state, config):
        assert state is None

    def wave(self, mel, f0, vector, rng):
        levels = mel.sum(axis=1) + vector[0]
        return (np.repeat(levels, HOP) + rng.normal(0, 1e-3, HOP * len(f0))).astype(np.float32)


@pytest.fixture
def toy(monkeypatch):
    module = ModuleType("scripts.lib.models.toy")
    module.Synthesizer, module.Vocoder = Synthesizer, Vocoder
    monkeypatch.setitem(sys.modules, "scripts.lib.models.toy", module)


@pytest.fixture
def files(tmp_path):
    speakers = {"s1": "f", "s2": "m"}
    table = make_utterances(tmp_path, speakers, 2, duration_s=0.2, subset="trials_f")
    write_manifest(tmp_path / "manifest.tsv", table)
    names = list(table["utterance"])
    half = np.r_[np.zeros(FRAMES // 2), np.full(FRAMES // 2, 100.0)]
    pitch = {name: half * (1 if name.startswith("s1") else 2) for name in names}
    write_features(tmp_path / "content.npz", ((n, np.full((FRAMES, 2), 0.1)) for n in names))
    write_features(tmp_path / "pitch.npz", pitch.items())
    pool = make_utterances(tmp_path, {"p1": "f"}, 1, duration_s=0.2, subset="train")
    write_manifest(tmp_path / "pool.tsv", pool)
    contour = np.array([0.0, 390.0, 400.0, 410.0])
    write_features(tmp_path / "pool.npz", [(pool["utterance"][0], contour)])
    pseudo, source = np.full((4, 1), 0.2), np.full((4, 1), 0.05)
    write_voices(tmp_path / "voices.npz", VoiceTable(names, pseudo, source, [["p1"]] * 4))
    return {
        "manifest": str(tmp_path / "manifest.tsv"),
        "voices": str(tmp_path / "voices.npz"),
        "content": str(tmp_path / "content.npz"),
        "pitch": [str(tmp_path / "pitch.npz")],
        "known_manifests": [],
        "known_pitch": [],
        "acoustic": [],
        "vocoder": [],
    }


def run(tmp_path, files, shard=0, shards=1, name="b1", vocoder=True, **params):
    route = {"acoustic": "anon", "vocoder": "anon"}
    params = {"f0": {"transform": "keep"}, "route": route, **params}
    config = {
        "system": {"name": name, "seed": 0, "params": params},
        "dataset": {"name": "d", "shards": shards},
        "acoustic": {"backend": "toy"},
        "vocoder": {"backend": "toy"} if vocoder else {},
    }
    target = tmp_path / f"out{len(list(tmp_path.glob('out*')))}"
    outputs = {"audio": str(target), "shard_manifest": str(target) + ".tsv"}
    synthesize_shard.main(files, **outputs, shard=shard, config=config, threads=1)
    manifest = read_manifests([outputs["shard_manifest"]])
    return {row.utterance: read_audio(row.path) for row in manifest.itertuples()}


def ends(samples):
    """The level of the unvoiced first half and of the voiced second half."""
    middle = len(samples) // 2
    return [round(float(part.mean()), 2) for part in (samples[:middle], samples[middle:])]


def test_content_pitch_and_the_routed_vectors_are_spoken(tmp_path, files, toy):
    heard = run(tmp_path, files)
    assert all(len(samples) == HOP * FRAMES for samples in heard.values())
    # Content 0.1, pitch 0 or 0.1, and the pseudo-voice's 0.2 twice.
    assert ends(heard["s1-u0"]) == [0.5, 0.6]
    assert ends(heard["s2-u0"]) == [0.5, 0.7]
    routes = {("anon", "orig"): 0.35, ("orig", "anon"): 0.35, ("orig", "orig"): 0.2}
    for (acoustic, vocoder), level in routes.items():
        heard = run(tmp_path, files, route={"acoustic": acoustic, "vocoder": vocoder})
        assert ends(heard["s1-u0"])[0] == level
    heard = run(tmp_path, files, vocoder=False, route={"acoustic": "orig", "vocoder": "anon"})
    assert ends(heard["s1-u0"]) == [0.05, 0.05]


def test_shards_share_the_work_and_change_nothing(tmp_path, files, toy):
    whole = run(tmp_path, files)
    parts = [run(tmp_path, files, shard=shard, shards=2) for shard in range(2)]
    assert [sorted(part) for part in parts] == [["s1-u0", "s2-u0"], ["s1-u1", "s2-u1"]]
    for name, samples in {**parts[0], **parts[1]}.items():
        assert np.array_equal(samples, whole[name])
    other = run(tmp_path, files, name="b1_again")
    assert not np.array_equal(other["s1-u0"], whole["s1-u0"])


def test_pitch_is_dropped_or_moved_to_the_donors(tmp_path, files, toy):
    assert ends(run(tmp_path, files, f0={"transform": "drop"})["s2-u0"]) == [0.5, 0.5]
    files["known_manifests"] = [files["manifest"], str(tmp_path / "pool.tsv")]
    files["known_pitch"] = [*files["pitch"], str(tmp_path / "pool.npz")]
    heard = run(tmp_path, files, f0={"transform": "log_linear"})
    assert ends(heard["s1-u0"]) == [0.5, 0.9]
    assert ends(heard["s2-u0"]) == [0.5, 0.9]
    files["pitch"], files["known_manifests"] = [], []
    assert ends(run(tmp_path, files)["s2-u0"]) == [0.5, 0.5]


def test_a_mismatch_of_frames_names_system_and_utterance(tmp_path, files, toy):
    names = ("s1-u0", "s1-u1", "s2-u0", "s2-u1")
    write_features(tmp_path / "content.npz", ((name, np.ones((FRAMES - 1, 2))) for name in names))
    message = "system b1, utterance s1-u0: 19 frames of content, but 20 of pitch"
    with pytest.raises(ValueError, match=message):
        run(tmp_path, files)
