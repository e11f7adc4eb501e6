"""Factor linear predictors into pole pairs, move the pairs, and multiply them out again.

A real predictor polynomial is a product of factors z² + s·z + p, each holding two poles, either
complex conjugates or two real ones. Working on (s, p) keeps all arithmetic real, and the result is
closed under conjugation by construction. Arrays of pairs have the shape (2, pairs, frames): first
all s, then all p.
"""

import numpy as np

ITERATIONS = 20
STEP = 0.5
"""Longest Newton step: without a bound, a quarter of the frames of read speech does not settle."""

TOLERANCE = 1e-8
"""Newton's step squares the error, so what is left after a step this small is rounding."""

FEW_FRAMES = 16
"""Below this number, eigenvalues cost less than the fixed cost of further Newton steps."""


def find_pairs(predictor: np.ndarray) -> np.ndarray:
    """Factor predictor polynomials into pole pairs.

    All pairs of all frames are refined at once by Newton's method on the product of the factors,
    which costs a third of the eigenvalues of companion matrices; the frames that do not settle
    (multiple poles, or real poles that end up in different pairs) are solved by eigenvalues.

    Parameters
    ----------
    predictor
        Coefficients of shape (order + 1, frames), highest power of z first, the first one 1. An
        odd order is completed by a pole at zero.

    Returns
    -------
    np.ndarray
        Pairs of shape (2, ⌈order / 2⌉, frames).

    Examples
    --------
    >>> find_pairs(np.array([[1.0], [-1.0], [0.5]])).ravel().round(9).tolist()
    [-1.0, 0.5]
    """
    if len(predictor) % 2 == 0:
        predictor = np.concatenate([predictor, np.zeros_like(predictor[:1])])
    pairs = _unit_circle(len(predictor) // 2, predictor.shape[1])
    result = np.empty_like(pairs)
    open_frames = np.arange(predictor.shape[1])
    targets = predictor
    for _ in range(ITERATIONS):
        if len(open_frames) < FEW_FRAMES:
            break
        with np.errstate(all="ignore"):  # a failed frame becomes NaN and is never settled
            step = _newton_step(targets, pairs)
            size = np.abs(step).max(axis=(0, 1))
            pairs = pairs + step * np.minimum(1.0, STEP / size)
        settled = size < TOLERANCE
        if settled.any():
            result[:, :, open_frames[settled]] = pairs[:, :, settled]
            pairs, targets = pairs[:, :, ~settled], targets[:, ~settled]
            open_frames = open_frames[~settled]
    result[:, :, open_frames] = _pairs_by_eigenvalues(targets)
    return result


def warp_pairs(pairs: np.ndarray, alpha: float, rho: float = 1.0) -> np.ndarray:
    """Move the angles ±φ of complex poles to ±min(φ^alpha, π) and scale all radii by `rho`.

    Real poles keep their angle.

    Examples
    --------
    >>> radius, angle = 0.9, 2 * np.pi * 500 / 16000
    >>> pair = np.array([-2 * radius * np.cos(angle), radius**2]).reshape(2, 1, 1)
    >>> moved = np.roots([1.0, *warp_pairs(pair, 0.8).ravel()])
    >>> (np.angle(moved) * 16000 / (2 * np.pi)).round().tolist(), np.abs(moved).round(6).tolist()
    ([692.0, -692.0], [0.9, 0.9])
    """
    total, product = pairs
    # Four times the squared imaginary part: negative for two real poles.
    spread = 4.0 * product - total**2
    is_complex = spread > 0.0
    angle = np.arctan2(np.sqrt(np.maximum(spread, 0.0)), -total)
    target = np.minimum(angle**alpha, np.pi)
    turned = -2.0 * np.sqrt(np.maximum(product, 0.0)) * np.cos(target)
    return np.stack([rho * np.where(is_complex, turned, total), rho**2 * product])


def expand_pairs(pairs: np.ndarray, order: int) -> np.ndarray:
    """Return the polynomials, of shape (order + 1, frames), that the pairs are factors of.

    Examples
    --------
    >>> expand_pairs(np.array([[[-1.0], [0.0]], [[0.5], [-1.0]]]), 4).ravel().tolist()
    [1.0, -1.0, -0.5, 1.0, -0.5]
    """
    _, count, frames = pairs.shape
    coefficients = np.zeros((2 * count + 1, frames))
    coefficients[0] = 1.0
    for degree, (total, product) in enumerate(zip(*pairs, strict=True)):
        head = coefficients[: 2 * degree + 3]
        grown = head.copy()
        grown[1:] += total * head[:-1]
        grown[2:] += product * head[:-2]
        head[:] = grown
    return coefficients[: order + 1]


def _unit_circle(count: int, frames: int) -> np.ndarray:
    """Return start pairs that are spread evenly over the unit circle."""
    total = -2.0 * np.cos((np.arange(count) + 0.5) * np.pi / count)
    start = np.stack([total, np.ones(count)])
    return np.repeat(start[:, :, None], frames, axis=2)


def _newton_step(predictor: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the change of all pairs that makes their product the predictor, to first order.

    Modulo one factor q, the predictor has a linear remainder, and so has the product of all other
    factors. Their quotient modulo q is the change of q.
    """
    total, product = pairs
    count = len(total)
    last, before = predictor[1] - total, np.ones_like(total)
    for coefficient in predictor[2:-1]:
        last, before = coefficient - total * last - product * before, last
    slope, offset = last, predictor[-1] - product * before
    rolled = np.concatenate([pairs, pairs], axis=1)
    linear, constant = rolled[:, 1 : 1 + count] - pairs if count > 1 else (0.0 * total, 1.0)
    for shift in range(2, count):
        delta, gap = rolled[:, shift : shift + count] - pairs
        carry = linear * delta
        linear = linear * gap + constant * delta - total * carry
        constant = constant * gap - product * carry
    mixed = constant - total * linear
    scale = 1.0 / (mixed * constant + product * linear**2)
    return np.stack(
        [
            (slope * constant - linear * offset) * scale,
            (mixed * offset + product * linear * slope) * scale,
        ]
    )


def _pairs_by_eigenvalues(predictor: np.ndarray) -> np.ndarray:
    """Factor predictors of even order by the eigenvalues of their companion matrices."""
    order = len(predictor) - 1
    companion = np.zeros((predictor.shape[1], order, order))
    companion[:, np.arange(1, order), np.arange(order - 1)] = 1.0
    companion[:, 0] = -predictor[1:].T
    poles = np.linalg.eigvals(companion).astype(np.complex128, copy=False)
    # Mirrored in this order, each pole meets its conjugate, and real poles meet real poles.
    mirrored = np.where(poles.imag > 0.0, -poles.real, poles.real)
    poles = np.take_along_axis(poles, np.lexsort((mirrored, poles.imag), axis=1), axis=1).T
    first, second = poles[: order // 2], poles[::-1][: order // 2]
    return np.stack([-(first + second).real, (first * second).real])
