import numpy as np
import pytest

from scripts.lib.feature_store import read_features, write_features

ARRAYS = {"s2/u1": np.ones((3, 2)), "s1-u1": np.arange(4.0)}


def test_what_is_written_is_read_back_as_float32(tmp_path):
    path = tmp_path / "a.npz"
    assert write_features(path, ARRAYS.items()) == 2
    features = read_features(path)
    assert list(features) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert features[name].dtype == np.float32
        assert np.array_equal(features[name], array)


def test_numpy_reads_the_file_too(tmp_path):
    write_features(tmp_path / "a.npz", ARRAYS.items())
    with np.load(tmp_path / "a.npz") as archive:
        assert archive["s1-u1"].tolist() == [0, 1, 2, 3]


def test_the_same_arrays_give_the_same_bytes(tmp_path):
    files = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for file in files:
        write_features(file, ARRAYS.items())
    assert files[0].read_bytes() == files[1].read_bytes()


def test_arrays_are_asked_for_one_at_a_time(tmp_path):
    alive = []

    def features():
        for number in range(3):
            alive.append(number)
            yield f"u{number}", np.zeros(2)
            alive.remove(number)
            assert not alive

    write_features(tmp_path / "a.npz", features())


def test_errors_name_file_and_utterance(tmp_path):
    path = tmp_path / "a.npz"
    with pytest.raises(ValueError, match=r"a\.npz: utterance u1 has features that are not finite"):
        write_features(path, [("u1", np.array([np.nan]))])
    assert not path.exists()
    with pytest.raises(ValueError, match=r"a\.npz: utterance u1 comes twice"):
        write_features(path, [("u1", np.zeros(1)), ("u1", np.zeros(1))])
    write_features(path, ARRAYS.items())
    with pytest.raises(ValueError, match=r"a\.npz: holds no features of utterance u9"):
        read_features(path)["u9"]


def test_shards_are_read_as_one(tmp_path):
    for name, array in ARRAYS.items():
        write_features(tmp_path / f"{array.ndim}.npz", [(name, array)])
    features = read_features(tmp_path / "2.npz", tmp_path / "1.npz")
    assert list(features) == list(ARRAYS)
    assert all(np.array_equal(features[name], array) for name, array in ARRAYS.items())
    with pytest.raises(ValueError, match=r"2\.npz, .*1\.npz: holds no features of utterance u9"):
        features["u9"]
