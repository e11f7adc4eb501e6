"""Make up sentences of eight to twelve words from a small grammar.

The vocabulary avoids homophones and pairs that an accent of English merges, so that the words of
a sentence can be told from its sound.
"""

from collections.abc import Sequence

import numpy as np

_CLASSES: dict[str, tuple[str, ...]] = {
    "PERSON": (
        "doctor", "teacher", "sailor", "farmer", "painter", "lawyer",
        "singer", "captain", "baker", "student", "uncle", "neighbour",
    ),
    "NAME": ("oliver", "maria", "victor", "susan", "patrick", "emma"),
    "QUALITY": (
        "young", "clever", "quiet", "famous", "gentle", "angry",
        "lonely", "cheerful", "patient", "strange",
    ),
    "LOOK": (
        "yellow", "broken", "heavy", "purple", "wooden", "golden",
        "tiny", "modern", "silver", "dirty", "empty", "green",
    ),
    "NUMBER": ("three", "five", "seven", "eleven", "twenty", "ninety"),
    "THING": (
        "basket", "lantern", "window", "guitar", "letter", "blanket",
        "camera", "hammer", "pencil", "ticket",
    ),
    "THINGS": (
        "apples", "bottles", "flowers", "envelopes", "pictures", "tomatoes",
        "candles", "ladders", "magazines", "potatoes",
    ),
    "DID": (
        "carried", "noticed", "delivered", "borrowed", "collected", "examined",
        "forgot", "washed", "measured", "discovered",
    ),
    "WENT": ("walked", "travelled", "jumped", "wandered", "hurried"),
    "HOW": ("slowly", "often", "never", "finally", "always", "suddenly"),
    "WHERE": ("behind", "under", "above", "across", "inside", "near"),
    "PLACE": (
        "market", "harbour", "station", "kitchen", "museum", "garden",
        "bridge", "village", "forest", "library",
    ),
    "WHEN": ("yesterday", "tonight", "tomorrow", "sunday", "monday", "october"),
}  # fmt: skip

# Each word in capitals stands for any word of its class.
_PATTERNS: tuple[str, ...] = (
    "the QUALITY PERSON DID NUMBER LOOK THINGS WHERE the PLACE",
    "the PERSON HOW DID the LOOK THING WHERE the PLACE",
    "NAME and the PERSON HOW DID NUMBER LOOK THINGS",
    "NAME HOW DID the LOOK THING and NUMBER THINGS WHERE the PLACE",
    "last WHEN the QUALITY PERSON WENT WHERE the LOOK PLACE",
    "the PERSON WENT WHERE the PLACE because NAME DID the THING",
    "WHERE the LOOK PLACE our QUALITY PERSON HOW DID the THING",
    "every PERSON DID the LOOK THING while NAME WENT WHERE the PLACE",
    "NAME DID NUMBER THINGS but the QUALITY PERSON DID the LOOK THING",
    "with NUMBER LOOK THINGS the PERSON HOW WENT WHERE the PLACE",
)


def vocabulary() -> tuple[str, ...]:
    """Return every word a sentence can hold, in alphabetical order.

    Examples
    --------
    >>> 80 <= len(vocabulary()) <= 150
    True
    """
    fixed = {word for pattern in _PATTERNS for word in pattern.split() if word not in _CLASSES}
    return tuple(sorted(fixed.union(*_CLASSES.values())))


def draw_sentence(rng: np.random.Generator) -> str:
    """Return one sentence in small letters.

    Examples
    --------
    >>> words = draw_sentence(np.random.default_rng(1)).split()
    >>> 8 <= len(words) <= 12, set(words) <= set(vocabulary())
    (True, True)
    """
    pattern = _choice(rng, _PATTERNS).split()
    return " ".join(_choice(rng, _CLASSES[word]) if word in _CLASSES else word for word in pattern)


def _choice(rng: np.random.Generator, items: Sequence[str]) -> str:
    return items[int(rng.integers(len(items)))]
