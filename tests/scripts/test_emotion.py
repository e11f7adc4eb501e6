"""The steps train_ser, recognize_emotion and compute_uar on steady and trembling tones."""

import numpy as np
import pytest
import soundfile

from scripts import compute_uar, recognize_emotion, train_ser
from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.manifest import read_manifests, read_table, write_manifest
from tests.factories import make_audio_manifest

TINY = {
    "backend": "emotion_cnn",
    "channels": 8,
    "mel_bins": 16,
    "window_ms": 50,
    "high_hz": 4000,
    "dropout": 0.0,
    "batch": 4,
    "epochs": 25,
    "learning_rate": 0.01,
    "weight_decay": 0.0,
    "folds": 2,
}


@pytest.fixture
def manifest(tmp_path):
    """Two speakers, one per fold: neutral tones are steady, sad ones tremble."""
    emotions = ["neu", "sad"] * 4
    path = make_audio_manifest(tmp_path, emotion=emotions, fold=["1"] * 4 + ["2"] * 4)
    table = read_manifests([path])
    for row in table.itertuples():
        samples = read_audio(row.path)
        if row.emotion == "sad":
            samples *= 0.55 + 0.45 * np.sin(2 * np.pi * 5 * np.arange(len(samples)) / RATE_HZ)
        soundfile.write(row.path, samples, RATE_HZ, subtype="PCM_16")
    write_manifest(path, table.assign(subset="test"))
    return path


def train(manifest, folder):
    model = folder / "model.pt"
    train_ser.main(
        manifests=[str(manifest)],
        model=str(model),
        curve=str(folder / "curve.tsv"),
        sources=[],
        seed=0,
        threads=1,
        config=TINY,
    )
    return model


def test_tremor_is_learnt_and_carried_to_the_unheard_speaker(manifest, tmp_path):
    model = train(manifest, tmp_path / "a")
    predictions = tmp_path / "predictions.tsv"
    recognize_emotion.main(str(model), [str(manifest)], str(predictions), threads=1)
    table = read_table(predictions)
    assert len(table) == 8
    assert (table["emotion"] == table["predicted"]).all()
    compute_uar.main(str(predictions), str(tmp_path / "uar.tsv"), {"system": "orig"})
    rows = read_table(tmp_path / "uar.tsv").set_index("metric")
    assert float(rows.loc["uar", "value"]) == 1.0
    assert set(rows.index) == {"uar", "recall_neu", "recall_sad"}
    assert len(read_table(tmp_path / "a" / "curve.tsv")) == 2 * TINY["epochs"]


def test_same_seed_same_bytes(manifest, tmp_path):
    first, second = train(manifest, tmp_path / "a"), train(manifest, tmp_path / "b")
    assert first.read_bytes() == second.read_bytes()
    assert not list(tmp_path.rglob("checkpoint*"))
