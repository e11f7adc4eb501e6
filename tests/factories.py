"""Small made-up inputs for tests: tones instead of speech, lists instead of corpora."""

from pathlib import Path

import numpy as np
import pandas as pd
import soundfile

from scripts.lib.audio import RATE_HZ
from scripts.lib.kaldi import write_kaldi_dir


def make_tone(duration_s: float = 1.0, hz: float = 200.0, seed: int = 0) -> np.ndarray:
    """A buzz of ten harmonics with a little noise, float32 in [-1, 1)."""
    time = np.arange(round(duration_s * RATE_HZ)) / RATE_HZ
    buzz = sum(np.sin(2 * np.pi * hz * k * time) / k for k in range(1, 11))
    noise = np.random.default_rng(seed).normal(0, 0.01, len(time))
    return (0.2 * buzz + noise).astype(np.float32)


def make_utterances(
    folder: Path,
    speakers: dict[str, str],
    count: int,
    *,
    prefix: str = "u",
    duration_s: float = 1.0,
    **columns: object,
) -> pd.DataFrame:
    """Write `count` tones per speaker (name to gender) and return their rows."""
    rows = []
    for place, (speaker, gender) in enumerate(speakers.items()):
        for number in range(count):
            name = f"{speaker}-{prefix}{number}"
            path = folder / "wav" / f"{name}.wav"
            path.parent.mkdir(parents=True, exist_ok=True)
            hz = (200 if gender == "f" else 110) * (1 + 0.1 * place)
            tone = make_tone(duration_s + 0.01 * number, hz, seed=place * 100 + number)
            soundfile.write(path, tone, RATE_HZ, subtype="PCM_16")
            rows.append(
                {
                    "utterance": name,
                    "speaker": speaker,
                    "gender": gender,
                    "path": f"wav/{name}.wav",
                    "duration_s": len(tone) / RATE_HZ,
                    "text": "ONE TWO",
                    **columns,
                }
            )
    return pd.DataFrame(rows)


def make_trials(utterances: pd.DataFrame, enrolled: list[str]) -> pd.DataFrame:
    """The full product of enrolled speakers and trial utterances."""
    pairs = [
        (speaker, row.utterance, int(speaker == row.speaker))
        for speaker in enrolled
        for row in utterances.itertuples()
    ]
    return pd.DataFrame(pairs, columns=["enrol", "test", "target"])


def make_evaluation_set(folder: Path) -> dict[str, str]:
    """Write enrolment and trial directories; return the `subsets` of a dataset entry."""
    speakers = {"f1": "f", "f2": "f", "m1": "m", "m2": "m"}
    enrolment = make_utterances(folder, speakers, 2, prefix="e")
    write_kaldi_dir(folder / "enrol", enrolment, enrolment=True)
    subsets = {"enrol": "enrol"}
    for gender in "fm":
        own = {name: g for name, g in speakers.items() if g == gender}
        trials = make_utterances(folder, own, 2, prefix="t")
        name = f"trials_{gender}"
        write_kaldi_dir(folder / name, trials, trials=make_trials(trials, list(own)))
        subsets[name] = name
    return subsets


def make_audio_manifest(folder: Path, **columns: object) -> Path:
    """Write a manifest of anonymized audio as `anonymize_shard` would."""
    from scripts.lib.manifest import write_manifest
    from scripts.lib.provenance import file_digest

    rows = make_utterances(folder, {"f1": "f", "m1": "m"}, 4, duration_s=1.2, subset="train")
    rows = rows.assign(path=[str(folder / path) for path in rows["path"]], **columns)
    rows["sha256"] = [file_digest(path) for path in rows["path"]]
    write_manifest(folder / "000.tsv", rows)
    return folder / "000.tsv"
