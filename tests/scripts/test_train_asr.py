import pytest
import torch

from scripts.lib.manifest import read_table
from scripts.lib.models import training
from scripts.train_asr import main
from tests.unit.models.spelled_tones import record, settings

TEXTS = ["AB C", "CA BB", "B AC"]


def run(folder, manifest, config, seed=3) -> bytes:
    source = folder / "source.py"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("a = 1\n")
    main(
        manifests=[str(manifest)],
        model=str(folder / "model.pt"),
        curve=str(folder / "curve.tsv"),
        sources=[str(source)],
        seed=seed,
        threads=1,
        config=config,
    )
    return (folder / "model.pt").read_bytes()


def test_writes_model_and_curve_and_removes_the_checkpoint(tmp_path):
    record(tmp_path / "data", TEXTS)
    run(tmp_path / "out", tmp_path / "data" / "000.tsv", settings(epochs=3))
    stored = torch.load(tmp_path / "out" / "model.pt", weights_only=True)
    assert stored["vocabulary"] == ["<blank>", " ", "A", "B", "C"]
    assert stored["config"]["network"] == settings(epochs=3)["network"]
    curve = read_table(tmp_path / "out" / "curve.tsv")
    assert list(curve["epoch"]) == ["1", "2", "3"]
    assert float(curve["train_loss"].iloc[-1]) < float(curve["train_loss"].iloc[0])
    assert not list((tmp_path / "out").glob("checkpoint*"))


def test_same_seed_same_bytes(tmp_path):
    record(tmp_path / "data", TEXTS)
    manifest, config = tmp_path / "data" / "000.tsv", settings(epochs=2)
    first = run(tmp_path / "one", manifest, config)
    assert run(tmp_path / "two", manifest, config) == first
    assert run(tmp_path / "three", manifest, config, seed=4) != first


def test_a_killed_job_goes_on_after_its_last_epoch(tmp_path, monkeypatch):
    record(tmp_path / "data", TEXTS)
    manifest, config = tmp_path / "data" / "000.tsv", settings(epochs=3)
    whole = run(tmp_path / "whole", manifest, config)
    save_state, saved = training.save_state, []

    def killed_after_two(path, state):
        save_state(path, state)
        saved.append(len(state.get("curve", [])))
        if len(saved) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(training, "save_state", killed_after_two)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "killed", manifest, config)
    assert not (tmp_path / "killed" / "model.pt").exists()
    assert run(tmp_path / "killed", manifest, config) == whole
    # Two epochs, the kill, the third epoch, and the model itself.
    assert saved == [1, 2, 3, 0]


def test_a_text_outside_the_characters_is_named_and_nothing_written(tmp_path):
    record(tmp_path / "data", ["AB C", "AB Z"])
    with pytest.raises(ValueError, match="utterance s1-1 has 'Z' in its text"):
        run(tmp_path / "out", tmp_path / "data" / "000.tsv", settings(epochs=1))
    assert not (tmp_path / "out" / "model.pt").exists()
