"""The steps prepare_manifest, prepare_trials and anonymize_shard on made-up directories."""

from pathlib import Path

import pandas as pd
import pytest
import soundfile

from scripts import anonymize_shard, prepare_manifest, prepare_trials
from scripts.lib.audio import read_audio
from scripts.lib.manifest import read_manifests, read_table
from tests.factories import make_evaluation_set


@pytest.fixture
def dataset(tmp_path):
    """An evaluation set, its entry as the rules pass it, and its manifest."""
    config = {
        "subsets": make_evaluation_set(tmp_path / "corpus"),
        "root": ".",
        "shards": 3,
        "resample": False,
        "downmix": False,
        "folder": str(tmp_path / "corpus"),
    }
    manifest = tmp_path / "manifest.tsv"
    prepare_manifest.main([], manifest=str(manifest), config=config)
    return config, manifest


def anonymize(
    tmp_path, manifest, shard, shards, method="identity", params=None, audio_format=None, **system
):
    entry = {
        "name": "x",
        "method": method,
        "level": "utterance",
        "training_level": "utterance",
        "seeding": "hashed",
        "seed": 0,
        "params": params or {},
        **system,
    }
    dataset = {
        "name": "d",
        "shards": shards,
        "resample": False,
        "downmix": False,
        "subsets": ["enrol", "trials_f", "trials_m"],
    }
    if audio_format:
        dataset["format"] = audio_format
    folder = tmp_path / f"{method}_{shards}_{audio_format}"
    anonymize_shard.main(
        manifest=str(manifest),
        audio=str(folder / f"{shard:03d}"),
        shard_manifest=str(folder / f"{shard:03d}.tsv"),
        shard=shard,
        config={"system": entry, "dataset": dataset},
    )
    return folder


def test_manifest_joins_the_subsets(dataset):
    table = read_manifests([dataset[1]])
    assert table["subset"].value_counts().to_dict() == {"enrol": 8, "trials_f": 4, "trials_m": 4}
    assert set(table["speaker"]) == {"f1", "f2", "m1", "m2"}


def test_trials_are_the_full_product(dataset, tmp_path):
    config, manifest = dataset
    output = tmp_path / "trials_f.tsv"
    prepare_trials.main([], [str(manifest)], str(output), "f", config)
    table = read_table(output)
    assert len(table) == 8
    assert table["target"].sum() == 4


def test_trial_of_an_unknown_utterance_leaves_nothing_behind(dataset, tmp_path):
    config, manifest = dataset
    with (tmp_path / "corpus" / "trials_f" / "trials").open("a") as stream:
        stream.write("f1 f9-t0 nontarget\n")
    output = tmp_path / "trials_f.tsv"
    with pytest.raises(ValueError, match=r"trials_f/trials: utterance f9-t0 not in the manifest"):
        prepare_trials.main([], [str(manifest)], str(output), "f", config)
    assert not output.exists()


def test_orig_is_bit_identical_under_the_same_names(dataset, tmp_path):
    folder = anonymize(tmp_path, dataset[1], 0, 1)
    before, after = read_manifests([dataset[1]]), read_manifests([folder / "000.tsv"])
    for old, new in zip(before.itertuples(), after.itertuples(), strict=True):
        assert new.path.endswith(f"{old.utterance}.wav")
        assert soundfile.read(old.path, dtype="int16")[0].tolist() == (
            soundfile.read(new.path, dtype="int16")[0].tolist()
        )


def test_shards_part_the_work_and_change_no_bytes(dataset, tmp_path):
    params = {"alpha": {"uniform": [0.5, 0.9]}}
    one = anonymize(tmp_path, dataset[1], 0, 1, "mcadams", params)
    for shard in (2, 0, 1):
        three = anonymize(tmp_path, dataset[1], shard, 3, "mcadams", params)
    whole = read_manifests([one / "000.tsv"])
    parts = read_manifests(sorted(three.glob("*.tsv")))
    pd.testing.assert_series_equal(whole["sha256"], parts["sha256"])
    assert whole["duration_s"].tolist() == read_manifests([dataset[1]])["duration_s"].tolist()


def test_flac_holds_the_samples_of_wav_in_less_room(dataset, tmp_path):
    params = {"alpha": 0.8}
    wav = read_manifests([anonymize(tmp_path, dataset[1], 0, 1, "mcadams", params) / "000.tsv"])
    folder = anonymize(tmp_path, dataset[1], 0, 1, "mcadams", params, audio_format="flac")
    flac = read_manifests([folder / "000.tsv"])
    for old, new in zip(wav.itertuples(), flac.itertuples(), strict=True):
        assert new.path.endswith(f"{old.utterance}.flac")
        assert (read_audio(old.path) == read_audio(new.path)).all()
        assert Path(new.path).stat().st_size < Path(old.path).stat().st_size
    assert flac["duration_s"].equals(wav["duration_s"])


def test_a_broken_file_is_named_and_no_shard_manifest_is_written(dataset, tmp_path):
    path = tmp_path / "corpus" / "wav" / "f1-e0.wav"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ValueError, match=r"f1-e0\.wav: truncated"):
        anonymize(tmp_path, dataset[1], 0, 1)
    assert not (tmp_path / "identity_1_None" / "000.tsv").exists()


def test_anonymized_speech_is_mono_16_bit_and_another(dataset, tmp_path):
    folder = anonymize(tmp_path, dataset[1], 0, 1, "mcadams", {"alpha": 0.8})
    row = read_manifests([folder / "000.tsv"]).iloc[0]
    header = soundfile.info(row["path"])
    assert (header.samplerate, header.channels, header.subtype) == (16000, 1, "PCM_16")
    original = read_manifests([dataset[1]]).iloc[0]
    assert (read_audio(row["path"]) != read_audio(original["path"])).any()
