"""ZEBRA against its definition as an area and its closed forms."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import logit

from scripts.lib.metrics import ece_profile, zebra
from scripts.lib.metrics.zebra import _disclosure, tag_of


@pytest.mark.parametrize("mean", [0.0, 1.0, 3.0])
def test_d_ece_is_the_area_between_the_curves(mean):
    rng = np.random.default_rng(1)
    target, nontarget = rng.normal(mean, 1, 60), rng.normal(0, 1, 200)

    def gap(prior):
        profile = ece_profile(target, nontarget, [logit(prior)])
        return float(profile.zero_evidence[0] - profile.ece[0])

    area, _ = quad(gap, 0, 1, limit=200, epsabs=1e-8)
    assert zebra(target, nontarget).d_ece == pytest.approx(area, abs=1e-6)


def test_profile_follows_its_definition():
    """Two blocks by hand: order n | t n | t has LLRs −∞, 0 and ∞."""
    profile = ece_profile([1.0, 3.0], [0.0, 2.0])
    assert profile.logit_prior.tolist() == np.linspace(-10, 10, 201).tolist()
    prior = 1 / (1 + np.exp(-profile.logit_prior))
    entropy = -(prior * np.log2(prior) + (1 - prior) * np.log2(1 - prior))
    np.testing.assert_allclose(profile.zero_evidence, entropy, atol=1e-12)
    # half of each class meets no evidence, the other half certainty
    np.testing.assert_allclose(profile.ece, entropy / 2, atol=1e-6)


def test_worst_case_closed_forms():
    """log10(k+1) + log10(N/T) for k targets on top, log10(j+1) − log10(N/T) for j others below."""
    target = np.concatenate([np.arange(8.0), 100 + np.arange(30.0)])
    nontarget = np.linspace(0.5, 7.5, 70)
    assert zebra(target, nontarget).worst_case == pytest.approx(
        np.log10(31) + np.log10(70 / 38), abs=1e-6
    )
    nontarget = np.concatenate([np.linspace(-2, -1, 50), [20.0]])
    assert zebra(np.linspace(0, 10, 400), nontarget).worst_case == pytest.approx(
        np.log10(51) - np.log10(51 / 400), abs=1e-6
    )


def test_separable_and_useless_scores():
    assert zebra([1.0, 2.0], [0.0, -1.0]).d_ece == pytest.approx(1 / (2 * np.log(2)), abs=1e-12)
    same = zebra(np.ones(50), np.ones(50))
    assert same.d_ece == 0.0


BORDERS = {
    "0": (0.0, 1e-17),
    "A": (1e-9, 1.0),
    "B": (1.310, 2.0),
    "C": (2.001, 4.0),
    "D": (4.055, 5.0),
    "E": (5.5, 6.0),
    "F": (6.001, 9.0),
}


@pytest.mark.parametrize(
    ("worst_case", "tag"), [(value, tag) for tag in BORDERS for value in BORDERS[tag]]
)
def test_tags_are_closed_above(worst_case, tag):
    assert tag_of(worst_case) == tag


def test_disclosure_has_its_limits_and_joins_its_series():
    ratio = np.exp(np.array([-3.0, -0.5, 0.01, 0.5, 3.0]))
    closed = ((ratio - 3) * (ratio - 1) + 2 * np.log(ratio)) / (4 * (ratio - 1) ** 2)
    np.testing.assert_allclose(_disclosure(np.log(ratio)), closed, atol=1e-11)
    assert _disclosure(np.array([0.0, 1e-6, np.inf, 1e4])).tolist() == [0.0, 0.0, 0.25, 0.25]
    border = np.array([-1.0, 1.0])[:, None] * np.array([1e-3 * (1 - 1e-9), 1e-3 * (1 + 1e-9)])
    below, above = _disclosure(border).T
    np.testing.assert_allclose(below, above, atol=1e-12)
    assert _disclosure(np.array([1e-4])) == pytest.approx(1e-4 / 6, rel=1e-4)
