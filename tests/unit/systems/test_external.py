import shutil

import numpy as np
import pytest
import soundfile

from scripts import index_external
from scripts.lib.audio import read_audio
from scripts.lib.external_index import build_index
from scripts.lib.manifest import read_table, write_manifest
from scripts.lib.systems import external
from scripts.lib.user_files import tracked_audio
from tests.factories import make_tone
from tests.unit.systems.own_shards import make_manifest, make_shard

CONVERT = {"resample": False, "downmix": False}


@pytest.fixture
def utterances(tmp_path):
    return make_manifest(tmp_path / "corpus")


@pytest.fixture
def finished(tmp_path, utterances):
    """A flat folder with the negative of each recording."""
    folder = tmp_path / "anonymized"
    folder.mkdir()
    for row in utterances.itertuples():
        soundfile.write(folder / f"{row.utterance}.wav", -read_audio(row.path), 16000)
    return folder


def settings(location, **changes):
    return {
        "system": "mine",
        "dataset": "d",
        "location": str(location),
        "match": "name",
        "allow_extra": False,
        "tolerance_s": 0.1,
        **CONVERT,
        **changes,
    }


def problems(utterances, location, **changes) -> list[str]:
    with pytest.raises(ValueError, match="system mine, dataset d: ") as error:
        build_index(utterances, settings(location, **changes))
    return str(error.value).splitlines()


def outputs(utterances, location, tmp_path, **changes):
    manifest, index = tmp_path / "manifest.tsv", tmp_path / "index.tsv"
    write_manifest(manifest, utterances)
    config = settings(location, **changes)
    index_external.main(str(manifest), str(index), config)
    params = {key: config[key] for key in CONVERT}
    return dict(external.process_shard(make_shard(external, utterances, params, index=str(index))))


def test_a_flat_folder_is_taken_over(tmp_path, utterances, finished):
    results = outputs(utterances, finished, tmp_path)
    assert list(results) == list(utterances["utterance"])
    for row in utterances.itertuples():
        assert np.array_equal(results[row.utterance], -read_audio(row.path))


def test_names_count_in_any_subfolder_and_with_any_suffix(tmp_path, utterances, finished):
    (finished / "f1" / "deep").mkdir(parents=True)
    (finished / "f1-u0.wav").rename(finished / "f1" / "deep" / "f1-u0.wav")
    samples = read_audio(finished / "m1-u1.wav")
    (finished / "m1-u1.wav").unlink()
    soundfile.write(finished / "m1-u1.FLAC", samples, 16000, format="FLAC")
    (finished / "notes.txt").write_text("not audio")
    (finished / ".f1-u0.wav").write_text("not audio either")
    assert len(outputs(utterances, finished, tmp_path)) == 4


def test_a_list_is_read_relative_to_its_folder(tmp_path, utterances, finished):
    scp = tmp_path / "wav.scp"
    names = list(utterances["utterance"])
    lines = [f"{name} anonymized/{place}.wav\n" for place, name in enumerate(names)]
    for place, name in enumerate(names):
        (finished / f"{name}.wav").rename(finished / f"{place}.wav")
    scp.write_text("".join(lines))
    assert list(outputs(utterances, scp, tmp_path)) == names
    assert tracked_audio(str(scp))[0] == str(scp)
    assert len(tracked_audio(str(scp))) == 5
    scp.write_text("".join(lines[:-1]) + "stranger anonymized/3.wav\n")
    found = problems(utterances, scp)
    assert "  missing: 1 (m1-u1)" in found[1]
    assert found[2].startswith("  extra: 1 (")


def test_a_mirrored_tree_is_matched_by_path(tmp_path, utterances):
    # Names that repeat in each speaker's folder, as in many corpora.
    paths = []
    for row in utterances.itertuples():
        place = tmp_path / "tree" / "wav" / row.speaker / f"{row.utterance[-1]}.flac"
        place.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(place, read_audio(row.path), 16000)
        paths.append(str(tmp_path / "corpus" / "wav" / row.speaker / f"{row.utterance[-1]}.wav"))
    for path, row in zip(paths, utterances.itertuples(), strict=True):
        (tmp_path / "corpus" / "wav" / row.speaker).mkdir(exist_ok=True)
        shutil.copy(row.path, path)
    table = utterances.assign(path=paths)
    results = outputs(table, tmp_path / "tree", tmp_path, match="path")
    for row in utterances.itertuples():
        assert np.array_equal(results[row.utterance], read_audio(row.path))
    # One file for two originals cannot mirror them.
    shutil.rmtree(tmp_path / "tree")
    (tmp_path / "tree").mkdir()
    shutil.copy(paths[0], tmp_path / "tree" / "0.wav")
    found = "\n".join(problems(table, tmp_path / "tree", match="path"))
    assert "missing: 2 (f1-u1, m1-u1)" in found
    assert "0.wav: f1-u0 and m1-u0" in found


def test_all_problems_are_listed_with_counts_and_examples(tmp_path, utterances):
    table = make_manifest(tmp_path / "more", count=7)
    folder = tmp_path / "anonymized"
    folder.mkdir()
    for row in table.itertuples():
        shutil.copy(row.path, folder)
    for number in range(5):
        (folder / f"f1-u{number}.wav").unlink()
    shutil.copy(folder / "m1-u6.wav", folder / "stranger.wav")
    (folder / "f1-u5.wav").write_bytes(b"")
    soundfile.write(folder / "f1-u6.wav", np.zeros(0), 16000)
    soundfile.write(folder / "m1-u0.wav", make_tone(0.2), 8000)
    soundfile.write(folder / "m1-u1.wav", np.stack([make_tone(0.2)] * 2, axis=1), 16000)
    soundfile.write(folder / "m1-u2.wav", make_tone(0.5), 16000)
    (folder / "m1-u3.wav").write_bytes((folder / "m1-u3.wav").read_bytes()[:-9])
    soundfile.write(folder / "m1-u4.flac", make_tone(0.2), 16000)
    lines = problems(table, folder)
    assert lines[0].endswith(f"14 problems with the audio in {folder}")
    starts = [
        "  missing: 5 (f1-u0, f1-u1, f1-u2 and 2 more); each utterance needs a file",
        f"  extra: 1 ({folder}/stranger.wav); no utterance of the dataset is called so",
        f"  ambiguous: 1 (m1-u4: {folder}/m1-u4.flac and {folder}/m1-u4.wav)",
        "  empty: 2 (f1-u5, f1-u6)",
        "  unreadable: 1 (m1-u3)",
        "  wrong rate: 1 (m1-u0 at 8000 Hz); expected 16000 Hz; set `resample: true`",
        "  wrong channels: 1 (m1-u1 with 2)",
        "  wrong length: 2 (m1-u0 lasts 0.400 s instead of 0.200 s, m1-u2 lasts 0.500 s",
    ]
    assert len(lines) == len(starts) + 1
    for line, start in zip(lines[1:], starts, strict=True):
        assert line.startswith(start)


def test_what_is_allowed_is_no_problem(tmp_path, utterances, finished):
    soundfile.write(finished / "stranger.wav", make_tone(0.1), 16000)
    soundfile.write(finished / "f1-u0.wav", np.stack([make_tone(0.5)] * 2, axis=1), 8000)
    allowed = {"allow_extra": True, "tolerance_s": 1, "resample": True, "downmix": True}
    results = outputs(utterances, finished, tmp_path, **allowed)
    assert list(results) == list(utterances["utterance"])
    assert len(results["f1-u0"]) == 16000


def test_full_scale_at_another_rate_is_cut_and_not_refused(tmp_path, utterances, finished):
    square = np.where(np.arange(4800) // 100 % 2, 1.0, -1.0)
    soundfile.write(finished / "f1-u0.wav", square, 24000, subtype="FLOAT")
    soundfile.write(finished / "f1-u1.wav", 2 * square, 24000, subtype="FLOAT")
    results = outputs(utterances, finished, tmp_path, resample=True)
    assert np.abs(results["f1-u0"]).max() == 1.0
    # Too loud at its own rate: left for the writer to refuse.
    assert np.abs(results["f1-u1"]).max() > 1.9


def test_an_unfinished_check_writes_no_index(tmp_path, utterances, finished):
    (finished / "f1-u0.wav").unlink()
    with pytest.raises(ValueError, match="missing: 1"):
        outputs(utterances, finished, tmp_path)
    assert not (tmp_path / "index.tsv").exists()


def test_the_index_changes_with_the_content_of_a_file(tmp_path, utterances, finished):
    before = build_index(utterances, settings(finished))
    shutil.copy(finished / "f1-u1.wav", finished / "f1-u0.wav")
    after = build_index(utterances, settings(finished))
    assert list(before["sha256"] != after["sha256"]) == [True, False, False, False]


def test_a_file_that_changes_during_the_run_is_noticed(tmp_path, utterances, finished):
    outputs(utterances, finished, tmp_path)
    shutil.copy(finished / "f1-u1.wav", finished / "f1-u0.wav")
    shard = make_shard(external, utterances, CONVERT, index=str(tmp_path / "index.tsv"))
    with pytest.raises(ValueError, match=r"f1-u0\.wav: changed since it was checked"):
        dict(external.process_shard(shard))
    assert len(read_table(tmp_path / "index.tsv")) == 4


def test_a_place_that_is_not_there_is_named(tmp_path, utterances):
    with pytest.raises(ValueError, match=r"nowhere: neither a folder of audio nor a wav\.scp"):
        build_index(utterances, settings(tmp_path / "nowhere"))
