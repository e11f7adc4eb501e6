import pandas as pd
import pytest
import torch

from scripts.lib.configuration import load_yaml
from scripts.lib.manifest import read_manifests, read_table, write_manifest
from scripts.lib.models import training, training_job
from scripts.lib.models.gpus import VISIBLE
from scripts.lib.models.training_job import train_model
from tests.factories import make_audio_manifest
from tests.unit.models.spelled_tones import record, settings
from tests.unit.models.test_ecapa import TINY

TEXTS = ["AB C", "CA BB", "B AC"]


@pytest.fixture(autouse=True)
def gpus_as_before(monkeypatch):
    monkeypatch.setenv(VISIBLE, "")


def run(folder, manifest, config, seed=3) -> bytes:
    source = folder / "source.py"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("a = 1\n")
    train_model(
        manifests=[str(manifest)],
        model=str(folder / "model.pt"),
        curve=str(folder / "curve.tsv"),
        card=str(folder / "card.yaml"),
        sources=[str(source)],
        seed=seed,
        threads=1,
        gpus=0,
        config={"model": config, "shards": dict.fromkeys(config["training_data"], 1)},
    )
    return (folder / "model.pt").read_bytes()


def test_writes_model_and_curve_and_removes_the_checkpoint(tmp_path):
    record(tmp_path / "data", TEXTS)
    run(tmp_path / "out", tmp_path / "data" / "000.tsv", settings(epochs=3))
    stored = torch.load(tmp_path / "out" / "model.pt", weights_only=True)
    assert stored["units"] == {"kind": "characters", "characters": "ABC"}
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


def test_three_kills_change_no_byte(tmp_path, monkeypatch):
    """Every kind of model: a kill after each of the first three epochs, then the rest."""
    record(tmp_path / "ctc", TEXTS)
    make_audio_manifest(tmp_path / "ecapa")
    masks = {"time_masks": 1, "time_frames": 5, "band_masks": 1, "band_bins": 4}
    entries = {"ctc": settings(epochs=4, masks=masks), "ecapa": {**TINY, "epochs": 4}}
    save_state = training.save_state

    def killed(path, state):
        save_state(path, state)
        if len(state["curve"]) < 4:
            raise KeyboardInterrupt

    for name, config in entries.items():
        manifest = tmp_path / name / "000.tsv"
        whole = run(tmp_path / name / "whole", manifest, config)
        with monkeypatch.context() as kills:
            kills.setattr(training, "save_state", killed)
            for _ in range(3):
                with pytest.raises(KeyboardInterrupt):
                    run(tmp_path / name / "killed", manifest, config)
                assert not (tmp_path / name / "killed" / "model.pt").exists()
        assert run(tmp_path / name / "killed", manifest, config) == whole, name
        curves = [tmp_path / name / part / "curve.tsv" for part in ("whole", "killed")]
        assert curves[0].read_bytes() == curves[1].read_bytes()


def test_the_card_tells_data_size_and_final_figures(tmp_path):
    table = record(tmp_path / "data", TEXTS)
    config = settings(epochs=2)
    run(tmp_path / "out", tmp_path / "data" / "000.tsv", config)
    card = load_yaml(tmp_path / "out" / "card.yaml")
    hours = round(table["duration_s"].sum() / 3600, 3)
    assert card["data"] == {"made_up": {"speakers": 2, "utterances": 3, "hours": hours}}
    assert card["processor"] == "CPU, 1 thread"
    assert card["versions"]["torch"] == torch.__version__.split("+")[0]
    last = read_table(tmp_path / "out" / "curve.tsv").iloc[-1]
    assert card["final"]["train_loss"] == pytest.approx(float(last["train_loss"]))
    weights = torch.load(tmp_path / "out" / "model.pt", weights_only=True)["weights"]
    assert card["trained_parameters"] <= sum(w.numel() for w in weights.values())


def test_the_time_of_killed_runs_counts(tmp_path, monkeypatch):
    record(tmp_path / "data", TEXTS)
    clock = iter(range(100))
    # Each epoch looks at the clock twice, so it takes one second.
    monkeypatch.setattr(training.time, "monotonic", lambda: float(next(clock)))
    save_state = training.save_state

    def killed_after_two(path, state):
        save_state(path, state)
        if len(state["curve"]) == 2:
            raise KeyboardInterrupt

    arguments = tmp_path / "out", tmp_path / "data" / "000.tsv", settings(epochs=3)
    with monkeypatch.context() as kill:
        kill.setattr(training, "save_state", killed_after_two)
        with pytest.raises(KeyboardInterrupt):
            run(*arguments)
    run(*arguments)
    assert load_yaml(tmp_path / "out" / "card.yaml")["wall_time_s"] == 3.0


def copy_of(table: pd.DataFrame, path, **changes):
    write_manifest(path, table.assign(**changes))
    return str(path)


def test_training_data_may_be_several_datasets_but_no_speaker_twice(tmp_path):
    table = read_manifests([make_audio_manifest(tmp_path)])
    one = copy_of(table, tmp_path / "one.tsv")
    names = "x" + table["utterance"]
    two = copy_of(table, tmp_path / "two.tsv", utterance=names, speaker="x" + table["speaker"])
    datasets = training_job.training_datasets([one, two], ["a", "b"], {"a": 1, "b": 1})
    assert [len(part) for part in datasets.values()] == [8, 8]
    same = copy_of(table, tmp_path / "same.tsv", utterance=names)
    with pytest.raises(ValueError, match="training data a and b: both have speakers f1, m1; they"):
        training_job.training_datasets([one, same], ["a", "b"], {"a": 1, "b": 1})


def test_a_text_outside_the_characters_is_named_and_nothing_written(tmp_path):
    record(tmp_path / "data", ["AB C", "AB Z"])
    with pytest.raises(ValueError, match="utterance s1-1 has 'Z' in its text"):
        run(tmp_path / "out", tmp_path / "data" / "000.tsv", settings(epochs=1))
    assert not (tmp_path / "out" / "model.pt").exists()
