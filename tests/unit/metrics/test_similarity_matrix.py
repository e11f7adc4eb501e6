"""Voice similarity matrices against the definition pair by pair."""

import numpy as np
import pytest

from scripts.lib.metrics import d_diag, de_id, full_matrix, g_vd, pav_llr, similarity_matrix


def plain_matrix(scores, speakers):
    """Section 7.9: pairs i < j, calibrated with Laplace's rule, averaged, through a sigmoid."""
    names = sorted(set(speakers))
    pairs = [(i, j) for i in range(len(speakers)) for j in range(i + 1, len(speakers))]
    values = np.array([scores[i, j] for i, j in pairs])
    same = np.array([speakers[i] == speakers[j] for i, j in pairs])
    llr = np.empty(values.size)
    llr[same], llr[~same] = pav_llr(values[same], values[~same], laplace=True)
    matrix = np.empty((len(names), len(names)))
    for p, first in enumerate(names):
        for q, second in enumerate(names):
            chosen = [{speakers[i], speakers[j]} == {first, second} for i, j in pairs]
            matrix[p, q] = 1 / (1 + np.exp(-llr[chosen].mean()))
    return matrix


def scores_of(rng, speakers, spread):
    voices = rng.normal(size=(len(set(speakers)), 8))
    code = np.unique(speakers, return_inverse=True)[1]
    segments = voices[code] + spread * rng.normal(size=(len(speakers), 8))
    return segments @ segments.T


@pytest.mark.parametrize("block_rows", [1, 3, 1000])
@pytest.mark.parametrize("digits", [9, 0])
def test_blocks_of_rows_give_the_matrix_of_the_definition(block_rows, digits):
    rng = np.random.default_rng(1)
    speakers = rng.permutation(np.repeat(["s1", "s2", "s10"], [4, 6, 5])).tolist()
    scores = scores_of(rng, speakers, 1.0).round(digits)
    scores += rng.normal(size=scores.shape).round(digits)  # like oa: the triangles differ
    result = similarity_matrix(
        lambda start, stop: scores[start:stop], speakers, block_rows=block_rows
    )
    assert result.speakers == ("s1", "s10", "s2")
    np.testing.assert_allclose(result.matrix, plain_matrix(scores, speakers), atol=1e-7)


def test_only_the_upper_triangle_is_used():
    rng = np.random.default_rng(2)
    speakers = ["a"] * 3 + ["b"] * 3
    scores = scores_of(rng, speakers, 0.5)
    changed = np.where(np.tri(6, dtype=bool), 1e6, scores)
    first, second = (
        similarity_matrix(lambda start, stop, m=matrix: m[start:stop], speakers).matrix
        for matrix in (scores, changed)
    )
    assert first.tolist() == second.tolist()


def test_distinct_voices_dominate_the_diagonal():
    rng = np.random.default_rng(3)
    speakers = np.repeat(list("abcd"), 12).tolist()
    clear, blurred = (scores_of(rng, speakers, spread) for spread in (0.1, 3.0))
    oo, aa = (
        similarity_matrix(lambda start, stop, m=matrix: m[start:stop], speakers).matrix
        for matrix in (clear, blurred)
    )
    assert d_diag(oo) > 0.9
    assert g_vd(aa, oo) < -1.0
    assert g_vd(oo, oo) == 0.0
    assert de_id(oo, oo) == 0.0
    assert 0.0 < de_id(aa, oo) < 1.0


def test_values_by_hand():
    assert d_diag([[0.9, 0.2, 0.1], [0.2, 0.8, 0.3], [0.1, 0.3, 0.7]]) == pytest.approx(0.6)
    oo = np.array([[0.9, 0.1], [0.1, 0.9]])
    alike = np.full((2, 2), 0.5)
    assert g_vd(np.array([[0.54, 0.46], [0.46, 0.54]]), oo) == pytest.approx(-10.0)
    assert g_vd(alike, oo) == -np.inf
    assert de_id(np.array([[0.6, 0.4], [0.4, 0.6]]), oo) == pytest.approx(0.75)
    oa = np.array([[0.5, 0.4], [0.3, 0.5]])
    assert full_matrix(oo, oa, alike).tolist() == [
        [0.9, 0.1, 0.5, 0.4],
        [0.1, 0.9, 0.3, 0.5],
        [0.5, 0.3, 0.5, 0.5],
        [0.4, 0.5, 0.5, 0.5],
    ]


def test_errors_name_the_problem():
    scores = np.zeros((4, 4))

    def rows(start, stop):
        return scores[start:stop]

    with pytest.raises(ValueError, match=r"\['c'\] have one segment"):
        similarity_matrix(rows, ["a", "a", "b", "b", "c"])
    with pytest.raises(ValueError, match=r"score_rows\(0, 3\) has shape \(3, 2\), not \(3, 4\)"):
        similarity_matrix(lambda start, stop: scores[start:stop, :2], ["a", "a", "b", "b"])
    scores[0, 1] = np.nan
    with pytest.raises(ValueError, match=r"1 of 6 pair \(rows from 0\) scores is not"):
        similarity_matrix(rows, ["a", "a", "b", "b"])
    with pytest.raises(ValueError, match="square"):
        d_diag(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="original voices are all alike"):
        g_vd(np.eye(2), np.ones((2, 2)))
