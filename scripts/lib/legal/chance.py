"""Chance level of Singling Out when the threshold is calibrated on few scores (section 5.2)."""

from typing import Literal

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

NODES = 200
Scores = Literal["normal", "uniform"]


def singling_out_floor(n_calibration: int, n_speakers: int, scores: Scores = "normal") -> float:
    """Return how often scores that know nothing isolate one of N speakers.

    All nN calibration and N test scores are independent and of one distribution. A test score lies
    above the threshold with a probability p that varies with the calibration scores, so the floor
    is the mean of Np(1−p)^(N−1), below the e⁻¹ of a fixed p = 1/N. As tail probabilities, the
    (n+1)-th highest of nN scores follows Beta(n+1, nN−n), and the n-th is that times a Beta(n, 1);
    both are integrated over by Gauss-Legendre quadrature.

    Parameters
    ----------
    n_calibration
        Calibration conversations per speaker, n.
    n_speakers
        Population size N.
    scores
        Distribution of the scores, which decides where between two scores the threshold lies.
        Cosines of random vectors of many dimensions are close to `normal`.

    Examples
    --------
    >>> round(singling_out_floor(9, 30), 3), round(singling_out_floor(9, 22_024), 3)
    (0.356, 0.35)
    """
    if n_calibration < 1:
        raise ValueError(f"a threshold needs a calibration conversation, not {n_calibration}")
    if n_speakers < 2:
        raise ValueError(f"a population has two speakers or more, not {n_speakers}")
    if scores not in ("normal", "uniform"):
        raise ValueError(f"scores is {scores!r}: use 'normal' or 'uniform'")
    node, weight = np.polynomial.legendre.leggauss(NODES)
    node, weight = (node + 1) / 2, weight / 2
    total = n_calibration * n_speakers
    lower = betaincinv(n_calibration + 1, total - n_calibration, node)[:, None]
    upper = lower * node ** (1 / n_calibration)
    fires = (lower + upper) / 2
    if scores == "normal":
        fires = ndtr((ndtri(lower) + ndtri(upper)) / 2)
    isolated = n_speakers * fires * np.exp((n_speakers - 1) * np.log1p(-fires))
    return float(weight @ isolated @ weight)
