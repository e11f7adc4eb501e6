"""Parametric speakers: voices drawn from the ranges of a gender, as espeak-ng voice files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

# espeak-ng shapes nine spectral peaks: 0 is a low one below the first formant.
PEAKS = 9
# Corner frequencies of espeak-ng's spectral tone curve.
TONE_HZ = (600, 1200, 2400)
Range = tuple[float, float]


@dataclass(frozen=True)
class Speaker:
    """One synthetic speaker.

    Parameters
    ----------
    name, gender
        Identifier and `f` or `m`.
    accent
        Name of an espeak-ng language.
    rate_wpm
        Speaking rate in words per minute.
    pitch_hz
        Middle of the range that the pitch contour moves in.
    pitch_span
        Top of that range, relative to its base.
    formants
        Frequency, height and width of each spectral peak in percent of espeak-ng's own.
    tone
        Amplitude (0 to 255) at each of `TONE_HZ`.
    breath
        Amplitude of the noise added at each formant.
    flutter
        Depth of the slow pitch fluctuation, 0 to 100.
    roughness
        Difference between alternate glottal periods, 0 to 7.
    """

    name: str
    gender: str
    accent: str
    rate_wpm: float
    pitch_hz: float
    pitch_span: float
    formants: tuple[tuple[float, float, float], ...]
    tone: tuple[float, ...]
    breath: float
    flutter: float
    roughness: float


def draw_speaker(
    name: str,
    gender: str,
    accents: Sequence[str],
    ranges: Mapping[str, Range],
    rng: np.random.Generator,
) -> Speaker:
    """Draw a speaker uniformly from the ranges of a gender.

    Parameters
    ----------
    name, gender
        Who it is.
    accents
        The accents to choose from.
    ranges
        Lowest and highest value of `rate_wpm`, `pitch_hz`, `pitch_span`, `tract_percent` (the
        scale of all formants), `formant_percent`, `height_percent`, `width_percent` (of each
        peak), `tone_low`, `tone_middle`, `tone_high`, `breath`, `flutter` and `roughness`.
    rng
        The speaker's own generator.
    """
    tract = rng.uniform(*ranges["tract_percent"])
    frequency = tract * rng.uniform(*ranges["formant_percent"], size=PEAKS) / 100
    height = rng.uniform(*ranges["height_percent"], size=PEAKS)
    width = rng.uniform(*ranges["width_percent"], size=PEAKS)
    bands = ("tone_low", "tone_middle", "tone_high")
    plain = ("rate_wpm", "pitch_hz", "pitch_span", "breath", "flutter", "roughness")
    return Speaker(
        name=name,
        gender=gender,
        accent=accents[int(rng.integers(len(accents)))],
        formants=tuple(
            (float(f), float(h), float(w)) for f, h, w in zip(frequency, height, width, strict=True)
        ),
        tone=tuple(float(rng.uniform(*ranges[band])) for band in bands),
        **{key: float(rng.uniform(*ranges[key])) for key in plain},
    )


def narrowed(ranges: Mapping[str, Range], share: float) -> dict[str, Range]:
    """Return the middle share of every range.

    Examples
    --------
    >>> narrowed({"pitch_hz": (100, 200)}, 0.5)
    {'pitch_hz': (125.0, 175.0)}
    """
    cut = (1 - share) / 2
    return {
        key: (low + cut * (high - low), high - cut * (high - low))
        for key, (low, high) in ranges.items()
    }


def voice_file(speaker: Speaker) -> str:
    """Return the espeak-ng voice file of a speaker.

    Examples
    --------
    >>> speaker = Speaker("s1", "f", "en-us", 170, 180, 1.4, ((110, 90, 120),) * PEAKS,
    ...                   (170, 135, 110), breath=2, flutter=4, roughness=1)
    >>> voice_file(speaker).splitlines()[3:7]
    ['pitch 150 210', 'flutter 4', 'roughness 1', 'formant 0 110 90 120']
    """
    base_hz = 2 * speaker.pitch_hz / (1 + speaker.pitch_span)
    lines = [
        "language variant",
        f"name {speaker.name}",
        f"gender {'female' if speaker.gender == 'f' else 'male'}",
        f"pitch {base_hz:.0f} {base_hz * speaker.pitch_span:.0f}",
        f"flutter {speaker.flutter:.0f}",
        f"roughness {speaker.roughness:.0f}",
    ]
    for peak, (frequency, height, width) in enumerate(speaker.formants):
        lines.append(f"formant {peak} {frequency:.0f} {height:.0f} {width:.0f}")
    tone = " ".join(f"{hz} {level:.0f}" for hz, level in zip(TONE_HZ, speaker.tone, strict=True))
    lines.append(f"tone {tone}")
    # The first formant gets no breath: noise there is heard as a whisper, not as a breathy voice.
    lines.append("breath 0" + f" {speaker.breath:.0f}" * (PEAKS - 2))
    return "\n".join(lines) + "\n"
