"""Change a pitch contour towards other speakers', or blur what it tells of its own.

Every transform works on the voiced frames only, so none makes an unvoiced frame voiced; `drop`
alone takes voicing away.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

# Voiced frames stay above this, whatever is added to them: 0 means unvoiced.
LOWEST_HZ = 20.0
SEMITONES = 12.0
ROUNDING = 1e-12


@dataclass(frozen=True)
class PitchStatistics:
    """What is known of a speaker's pitch.

    Parameters
    ----------
    mean, variance
        Of the natural logarithm of voiced frames in Hz.
    voiced
        All voiced frames in Hz, from low to high.
    """

    mean: float
    variance: float
    voiced: np.ndarray


def pitch_statistics(contours: Iterable[np.ndarray], speaker: str) -> PitchStatistics:
    """Return the statistics of a speaker's contours, taken together.

    Parameters
    ----------
    contours
        Pitch in Hz of each utterance, 0 where unvoiced.
    speaker
        Name for the message if no frame is voiced.

    Examples
    --------
    >>> found = pitch_statistics([np.array([0.0, 100.0]), np.array([400.0])], "s1")
    >>> round(np.exp(found.mean)), found.voiced.tolist()
    (200, [100.0, 400.0])
    """
    contours = list(contours)
    voiced = np.sort(np.concatenate([contour[contour > 0] for contour in contours]))
    if not len(voiced):
        raise ValueError(f"speaker {speaker}: no frame is voiced, so its pitch is unknown")
    logs = np.log(voiced.astype(np.float64))
    return PitchStatistics(float(logs.mean()), float(logs.var()), voiced)


def transform(
    f0: np.ndarray,
    settings: Mapping,
    *,
    source: PitchStatistics | None = None,
    donors: Sequence[PitchStatistics] = (),
    rng: np.random.Generator | None = None,
) -> np.ndarray:
    """Return the new contour, float32 of the same shape.

    Parameters
    ----------
    f0
        Pitch in Hz, 0 where unvoiced.
    settings
        `transform`, one of `TRANSFORMS`, and what is done after it: `revert` (`share`, `frames`),
        `quantise` (a step in semitones) and `noise` (a deviation in semitones), in this order.
    source
        The speaker of the utterance; asked for by `log_linear`.
    donors
        The speakers whose voices were averaged; asked for by `log_linear` and `percentile`.
    rng
        Generator of the noise.
    """
    mask = f0 > 0
    contour = TRANSFORMS[settings["transform"]](np.asarray(f0[mask], np.float64), source, donors)
    if contour is None:
        return np.zeros(len(f0), dtype=np.float32)
    if "revert" in settings:
        contour = revert(contour, mask, **settings["revert"])
    if "quantise" in settings:
        contour = quantise(contour, settings["quantise"])
    if "noise" in settings:
        steps = rng.normal(0.0, settings["noise"], len(contour))
        contour = contour * 2.0 ** (steps / SEMITONES)
    changed = np.zeros(len(f0), dtype=np.float32)
    changed[mask] = np.maximum(contour, LOWEST_HZ)
    return changed


def log_linear(
    voiced: np.ndarray, source: PitchStatistics, donors: Sequence[PitchStatistics]
) -> np.ndarray:
    """Give log pitch the donors' mean and deviation: (ln f - μs) σt / σs + μt.

    μt and σt² are the means of the donors' means and variances.

    Examples
    --------
    >>> low, high = (PitchStatistics(np.log(hz), 0.01, np.array([hz])) for hz in (100.0, 200.0))
    >>> log_linear(np.array([90.0, 110.0]), low, [high]).round().tolist()
    [180.0, 220.0]
    """
    _check_donors(donors)
    mean = np.mean([donor.mean for donor in donors])
    variance = np.mean([donor.variance for donor in donors])
    # A monotone speaker has nothing to stretch but the rounding of a mean.
    ratio = np.sqrt(variance / source.variance) if source.variance > ROUNDING else 1.0
    return np.exp((np.log(voiced) - source.mean) * ratio + mean)


def percentile(
    voiced: np.ndarray, source: PitchStatistics | None, donors: Sequence[PitchStatistics]
) -> np.ndarray:
    """Look the rank of each frame within its utterance up in the donors' voiced frames together.

    Examples
    --------
    >>> donor = PitchStatistics(0.0, 0.0, np.array([200.0, 300.0]))
    >>> percentile(np.array([90.0, 120.0, 100.0]), None, [donor]).tolist()
    [200.0, 300.0, 250.0]
    """
    _check_donors(donors)
    known = np.sort(np.concatenate([donor.voiced for donor in donors]))
    if len(voiced) < 2:
        return np.full(len(voiced), np.median(known))
    ordered = np.sort(voiced)
    # Equal frames share the middle of their ranks.
    ranks = (np.searchsorted(ordered, voiced) + np.searchsorted(ordered, voiced, "right") - 1) / 2
    return np.quantile(known, ranks / (len(voiced) - 1))


def revert(contour: np.ndarray, mask: np.ndarray, *, share: float, frames: int) -> np.ndarray:
    """Move each voiced frame by a share towards the average of the voiced frames around it.

    Parameters
    ----------
    contour
        The voiced frames in Hz.
    mask
        Where they lie among all frames.
    share
        The α of (1 - α) f + α average.
    frames
        How many frames the average spans, unvoiced ones left out.

    Examples
    --------
    >>> revert(np.array([100.0, 200.0]), np.array([True, False, True]), share=1.0, frames=5)
    array([150., 150.])
    """
    whole = np.zeros(len(mask))
    whole[mask] = contour
    before, after = frames // 2, frames - frames // 2
    ends = np.arange(len(mask))
    first, last = np.maximum(ends - before, 0), np.minimum(ends + after, len(mask))
    sums, counts = (np.concatenate([[0.0], np.cumsum(values)]) for values in (whole, mask))
    average = (sums[last] - sums[first])[mask] / (counts[last] - counts[first])[mask]
    return (1.0 - share) * contour + share * average


def quantise(contour: np.ndarray, semitones: float) -> np.ndarray:
    """Round pitch to steps of a scale through 100 Hz.

    Examples
    --------
    >>> quantise(np.array([99.0, 190.0]), 12.0).tolist()
    [100.0, 200.0]
    """
    step = semitones / SEMITONES
    return 100.0 * 2.0 ** (step * np.round(np.log2(contour / 100.0) / step))


def _keep(voiced: np.ndarray, source: object, donors: object) -> np.ndarray:
    return voiced


def _drop(voiced: np.ndarray, source: object, donors: object) -> None:
    """Return nothing: no frame is voiced any more."""


def _check_donors(donors: Sequence[PitchStatistics]) -> None:
    if not donors:
        raise ValueError(
            "the pseudo-voice has no donors whose pitch could be taken over; "
            "set `transform: keep` or choose a voice from a pool"
        )


TRANSFORMS = {"keep": _keep, "drop": _drop, "log_linear": log_linear, "percentile": percentile}
