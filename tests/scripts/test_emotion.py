"""The steps train_ser, recognize_emotion and compute_uar on steady and trembling tones."""

import numpy as np
import pytest
import soundfile

from scripts import compute_uar, recognize_emotion, train_ser
from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.manifest import read_manifests, read_table, write_manifest
from scripts.lib.models.training import load_state
from tests.factories import make_audio_manifest
from tests.unit.models.tiny_wav2vec2 import SETTINGS, save_as_speechbrain, tiny_encoder

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


def train(manifest, folder, config):
    model = folder / "model.pt"
    train_ser.main(
        manifests=[str(manifest)],
        model=str(model),
        curve=str(folder / "curve.tsv"),
        card=str(folder / "card.yaml"),
        sources=[],
        seed=0,
        threads=1,
        gpus=0,
        config=config,
    )
    return model


def test_tremor_is_learnt_and_carried_to_the_unheard_speaker(manifest, tmp_path):
    model = train(manifest, tmp_path / "a", TINY)
    predictions = tmp_path / "predictions.tsv"
    recognize_emotion.main(str(model), [str(manifest)], str(predictions), threads=1)
    table = read_table(predictions)
    assert len(table) == 8
    rows = read_manifests([manifest])
    for fold, part in rows.groupby("fold"):
        path = tmp_path / f"{fold}.tsv"
        write_manifest(path, part)
        recognize_emotion.main(str(model), [str(path)], str(path), threads=1)
        assert read_table(path).equals(table[table["fold"] == fold].reset_index(drop=True))
    assert (table["emotion"] == table["predicted"]).all()
    compute_uar.main([str(predictions)], str(tmp_path / "uar.tsv"), {"system": "orig"})
    rows = read_table(tmp_path / "uar.tsv").set_index("metric")
    assert float(rows.loc["uar", "value"]) == 1.0
    assert set(rows.index) == {"uar", "uar_fold", "recall_neu", "recall_sad"}
    assert len(read_table(tmp_path / "a" / "curve.tsv")) == 2 * TINY["epochs"]


def test_same_seed_same_bytes(manifest, tmp_path):
    first, second = (train(manifest, tmp_path / name, TINY) for name in "ab")
    assert first.read_bytes() == second.read_bytes()
    assert not list(tmp_path.rglob("checkpoint*"))


def test_a_pretrained_encoder_is_trained_or_taken_in_fold_by_fold(manifest, tmp_path):
    table = read_manifests([manifest])
    write_manifest(manifest, table.assign(subset=["dev", "dev", "test", "test"] * 2))
    config = {**SETTINGS, "model": str(tiny_encoder(tmp_path / "encoder")), "folds": 2}
    model = train(manifest, tmp_path / "a", config)
    assert len(read_table(tmp_path / "a" / "curve.tsv")) == 2 * config["epochs"]
    for fold, trained in load_state(model)["folds"].items():
        save_as_speechbrain(tmp_path / f"fold_{fold}", trained)
    taken = {**config, "checkpoints": str(tmp_path / "fold_{fold}")}
    again = train(manifest, tmp_path / "b", taken)
    tables = []
    for name, path in (("a", model), ("b", again)):
        predictions = tmp_path / name / "predictions.tsv"
        recognize_emotion.main(str(path), [str(manifest)], str(predictions), threads=1)
        tables.append(read_table(predictions))
    assert tables[0].equals(tables[1])
    assert tables[0]["subset"].value_counts().to_dict() == {"dev": 4, "test": 4}
    assert "checkpoints:" in (tmp_path / "b" / "card.yaml").read_text()
