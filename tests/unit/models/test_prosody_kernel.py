import numpy as np
import pytest
import torch

from scripts.lib.emotions import Fold
from scripts.lib.manifest import EMOTIONS
from scripts.lib.models.prosody_kernel import Training, classify

CONFIG = {"penalty": 0.3, "kernel_scale": 0.5}


class Points:
    """Two clouds of made-up statistics, the second with few members."""

    def __init__(self):
        rng = np.random.default_rng(0)
        rows = np.concatenate([rng.normal(0, 1, (30, 5)), rng.normal(1, 1, (6, 5))])
        self.statistics = torch.from_numpy(rows)
        self.labels = torch.tensor([0] * 30 + [1] * 6)


def test_solution_is_that_of_an_independent_implementation():
    linear = pytest.importorskip("sklearn.kernel_ridge")
    points = Points()
    train, rest = list(range(0, 36, 2)), list(range(1, 36, 2))
    training = Training(points, Fold(train, [], rest), CONFIG, seed=0)
    training.run_epoch(1)
    rows = points.statistics.numpy()
    scaled = (rows - rows[train].mean(0)) / rows[train].std(0, ddof=1)
    labels = points.labels.numpy()
    counts = np.bincount(labels[train])
    weights = len(train) / (len(EMOTIONS) * counts[labels[train]])
    gamma = CONFIG["kernel_scale"] / rows.shape[1]
    other = linear.KernelRidge(alpha=CONFIG["penalty"], kernel="rbf", gamma=gamma)
    targets = 2.0 * np.eye(len(EMOTIONS))[labels[train]] - 1.0
    other.fit(scaled[train], targets, sample_weight=weights)
    expected = [EMOTIONS[number] for number in other.predict(scaled[rest]).argmax(axis=1)]
    assert classify(points, rest, training.model(), CONFIG) == expected
    np.testing.assert_allclose(
        training.model()["coefficients"].numpy(), other.dual_coef_, rtol=1e-6, atol=1e-9
    )


def test_a_rare_class_counts_like_a_frequent_one():
    points = Points()
    everyone = list(range(36))
    training = Training(points, Fold(everyone, everyone, []), CONFIG, seed=0)
    figures = training.run_epoch(1)
    assert figures["train_accuracy"] == figures["valid_accuracy"] > 0.9
    predicted = classify(points, everyone, training.model(), CONFIG)
    assert predicted[30:].count("sad") >= 5
