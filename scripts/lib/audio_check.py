"""Check audio that somebody else has made: what is missing or unusable, kind by kind."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import soundfile

from scripts.lib.audio import RATE_HZ, duration_s

EXAMPLES = 3
ADVICE = {
    "missing": "each utterance needs a file named after it",
    "extra": "no utterance of the dataset is called so; remove them or set `allow_extra: true`",
    "ambiguous": "leave one file per utterance",
    "empty": "write the files anew",
    "unreadable": "write the files anew, as wav or flac",
    "wrong rate": f"expected {RATE_HZ} Hz; set `resample: true` in params to convert",
    "wrong channels": "expected 1; set `downmix: true` in params to average them",
    "wrong length": "set `tolerance_s` in params if the system changes the tempo",
}


class Problems:
    """Findings by kind, in the order of `ADVICE`."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {kind: [] for kind in ADVICE}

    def add(self, kind: str, what: str) -> None:
        """Note one more finding."""
        self._found[kind].append(what)

    def __len__(self) -> int:
        return sum(map(len, self._found.values()))

    def lines(self) -> Iterator[str]:
        """Yield one line per kind: how many, the first of them, and what to do."""
        for kind, found in self._found.items():
            if found:
                more = "" if len(found) <= EXAMPLES else f" and {len(found) - EXAMPLES} more"
                head = ", ".join(found[:EXAMPLES])
                yield f"  {kind}: {len(found)} ({head}{more}); {ADVICE[kind]}"


def check_headers(
    files: Mapping[str, Path],
    *,
    resample: bool,
    downmix: bool,
    expected_s: Mapping[str, float] | None = None,
    tolerance_s: float = 0.0,
) -> Problems:
    """Return the problems of one file per utterance, as far as headers tell.

    Parameters
    ----------
    files
        Path by utterance.
    resample, downmix
        Whether another rate or several channels will be converted.
    expected_s
        Duration by utterance; left out, every length is right.
    tolerance_s
        How far a duration may lie from the expected one.

    Examples
    --------
    >>> found = check_headers({"u1": Path("no/u1.wav")}, resample=False, downmix=False)
    >>> list(found.lines())
    ['  missing: 1 (u1); each utterance needs a file named after it']
    """
    problems = Problems()
    for name, path in files.items():
        if not path.is_file():
            problems.add("missing", name)
            continue
        if path.stat().st_size == 0:
            problems.add("empty", name)
            continue
        try:
            header = soundfile.info(path)
            lasts_s = duration_s(path, resample=True, downmix=True) if header.frames else 0.0
        except (soundfile.LibsndfileError, ValueError):
            problems.add("unreadable", name)
            continue
        if header.frames == 0:
            problems.add("empty", name)
            continue
        if header.samplerate != RATE_HZ and not resample:
            problems.add("wrong rate", f"{name} at {header.samplerate} Hz")
        if header.channels != 1 and not downmix:
            problems.add("wrong channels", f"{name} with {header.channels}")
        if expected_s is not None and abs(lasts_s - expected_s[name]) > tolerance_s:
            problems.add(
                "wrong length", f"{name} lasts {lasts_s:.3f} s instead of {expected_s[name]:.3f} s"
            )
    return problems
