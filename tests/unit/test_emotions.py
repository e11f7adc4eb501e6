import pandas as pd
import pytest

from scripts.lib.emotions import fold_of, fold_recalls, read_emotional, uar, uar_interval
from tests.factories import make_audio_manifest

# Fold 1: neu 2 of 2, sad 1 of 2. Fold 2: neu 0 of 1, sad 1 of 1.
ROWS = [
    ("1", "neu", "neu"),
    ("1", "neu", "neu"),
    ("1", "sad", "sad"),
    ("1", "sad", "neu"),
    ("2", "neu", "sad"),
    ("2", "sad", "sad"),
]
PREDICTIONS = pd.DataFrame(ROWS, columns=["fold", "emotion", "predicted"])


def test_uar_averages_classes_then_folds():
    assert uar(PREDICTIONS) == pytest.approx(((1.0 + 0.5) / 2 + (0.0 + 1.0) / 2) / 2)
    assert fold_recalls(PREDICTIONS).mean().to_dict() == {"neu": 0.5, "sad": 0.75}


def test_uar_agrees_with_an_independent_implementation():
    audmetric = pytest.importorskip("audmetric")
    by_fold = [
        audmetric.unweighted_average_recall(part["emotion"].tolist(), part["predicted"].tolist())
        for _, part in PREDICTIONS.groupby("fold")
    ]
    assert uar(PREDICTIONS) == pytest.approx(sum(by_fold) / 2)


def test_interval_is_seeded_and_holds_the_value():
    many = pd.concat([PREDICTIONS] * 50)
    low, high = uar_interval(many, replicates=500, seed=0)
    assert (low, high) == uar_interval(many, replicates=500, seed=0)
    assert low < uar(many) < high


def test_a_class_missing_from_a_fold_is_named():
    with pytest.raises(ValueError, match="fold 2 has no utterance of class sad"):
        uar(PREDICTIONS.iloc[:5])


def test_folds_part_the_data(tmp_path):
    path = make_audio_manifest(tmp_path, emotion="neu", fold=["1"] * 4 + ["2"] * 4)
    table = read_emotional([path], 2)
    assert fold_of(table, 1) == ([4, 5, 6, 7], [], [0, 1, 2, 3])


def test_development_material_of_a_fold_is_not_trained_on(tmp_path):
    folds, dev_folds = ["1"] * 4 + ["2"] * 4, ["2"] * 4 + [""] * 4
    path = make_audio_manifest(tmp_path, emotion="neu", fold=folds, dev_fold=dev_folds)
    table = read_emotional([path], 2)
    assert fold_of(table, 1) == ([4, 5, 6, 7], [], [0, 1, 2, 3])
    assert fold_of(table, 2) == ([], [0, 1, 2, 3], [4, 5, 6, 7])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"emotion": "", "fold": "1"}, "f1-u0, f1-u1, f1-u2 and 5 more without emotion"),
        ({"emotion": "neu", "fold": "1"}, "hold the folds 1, the dataset's entry says `folds: 2`"),
        ({"emotion": "neu", "fold": ["1", "2"] * 4}, "speaker f1 is in two folds"),
    ],
)
def test_bad_folds_are_named(tmp_path, columns, message):
    path = make_audio_manifest(tmp_path, **columns)
    with pytest.raises(ValueError, match=message):
        read_emotional([path], 2)
