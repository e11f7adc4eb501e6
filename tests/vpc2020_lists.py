"""Made-up lists of the size of the complete 2020 study, without audio, and its configuration."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from scripts.lib.configuration import load_yaml

CONFIG = Path(__file__).parents[1] / "config"
SYSTEMS = load_yaml(CONFIG / "studies/published.yaml")["systems"]
# Speakers enrolled and tested, enrolment and trial utterances; women and men (evaluation plan).
EVALUATION = {
    "libri_dev": ((15, 14), (20, 20), (167, 176), (1018, 960)),
    "libri_test": ((16, 13), (20, 20), (254, 184), (734, 762)),
    "vctk_dev_different": ((15, 15), (15, 15), (300, 300), (5422, 5255)),
    "vctk_dev_common": ((15, 15), (15, 15), (300, 300), (344, 351)),
    "vctk_test_different": ((15, 15), (15, 15), (300, 300), (5328, 5420)),
    "vctk_test_common": ((15, 15), (15, 15), (300, 300), (346, 354)),
}
TRAINING = ["libri_train_clean_360"]
# Women and men, utterances, hours, of what attackers and chains are trained on.
TRAINING_SETS = {
    "train-clean-360": ((439, 482), 104_014, 364),
    "train-clean-100": ((125, 126), 28_539, 100),
    "train-600": ((689, 728), 177_227, 597),
    "libritts_train_clean_100": ((123, 124), 33_236, 54),
    "libritts_train_other_500": ((560, 600), 205_044, 310),
    "voxceleb_train": ((2912, 4451), 1_281_762, 2794),
}
VCTK_TRIALS = 15_000
MEAN_S = {"libri": 7.2, "vctk": 3.4}


def write_lists(folder: Path) -> None:
    """Write the Kaldi directories of training and evaluation data, without any audio."""
    for name, (speakers, count, hours) in TRAINING_SETS.items():
        names = [n for g, size in zip("fm", speakers, strict=True) for n in _names("t", g, size)]
        _write_directory(folder / name, _utterances(names, "u", count), 3600 * hours / count)
    lexicon = folder / "librispeech_lm/librispeech-lexicon.txt"
    lexicon.parent.mkdir(parents=True)
    lexicon.write_text("ONE W AH1 N\nTWO T UW1\nTHREE TH R IY1\n")
    for name, (enrolled, tested, enrolment, trials) in EVALUATION.items():
        mean_s = MEAN_S[name.split("_")[0]]
        heard = [_names("s", g, n) for g, n in zip("fm", tested, strict=True)]
        known = [names[:count] for names, count in zip(heard, enrolled, strict=True)]
        rows = [
            r for names, n in zip(known, enrolment, strict=True) for r in _utterances(names, "e", n)
        ]
        place = folder / name / "enrol"
        _write_directory(place, rows, mean_s)
        (place / "enrolls").write_text("".join(f"{utterance}\n" for utterance, _ in rows))
        for gender, names, own, count in zip("fm", heard, known, trials, strict=True):
            rows = _utterances(names, "t", count)
            place = folder / name / f"trials_{gender}"
            _write_directory(place, rows, mean_s)
            grid = [
                f"{speaker} {utterance} {'target' if speaker == other else 'nontarget'}\n"
                for speaker, (utterance, other) in product(own, rows)
            ]
            step = max(1, len(grid) // VCTK_TRIALS) if name.startswith("vctk") else 1
            (place / "trials").write_text("".join(grid[::step]))


def study_config(corpora: Path, systems: Sequence[str] = SYSTEMS) -> dict:
    """Return the configuration of the whole study, its chains at their full size."""
    return {
        "study": "vpc2020",
        "corpora": str(corpora),
        "datasets": {
            name: {
                "kit": "plan",
                "subsets": {part: f"{name}/{part}" for part in ("enrol", "trials_f", "trials_m")},
                "shards": 2 if name.endswith("different") else 1,
            }
            for name in EVALUATION
        },
        "asr": {
            "made_ctc": {**load_yaml(CONFIG / "asr/ctc_digits.yaml"), "training_data": TRAINING}
        },
        "lm": {"made_trigram": {"training_data": TRAINING, "order": 3}},
        "studies": {
            "vpc2020": {
                "title": "VoicePrivacy 2020",
                "datasets": {
                    role: [name for name in EVALUATION if f"_{role}" in name]
                    for role in ("dev", "test")
                },
                "systems": list(systems),
                "asv": "ecapa_vpc2024",
                "asr": "made_ctc",
                "lms": ["made_trigram"],
                "tables": [*(f"table_{n:02d}" for n in range(2, 16)), "table_2024_07"],
                "figures": [f"figure_{n:02d}" for n in range(1, 24)],
            }
        },
    }


def _names(prefix: str, gender: str, count: int) -> list[str]:
    return [f"{prefix}{gender}{number:04d}" for number in range(count)]


def _utterances(speakers: list[str], prefix: str, count: int) -> list[tuple[str, str]]:
    return [
        (
            f"{speakers[number % len(speakers)]}-{prefix}{number:07d}",
            speakers[number % len(speakers)],
        )
        for number in range(count)
    ]


def _write_directory(folder: Path, rows: list[tuple[str, str]], mean_s: float) -> None:
    folder.mkdir(parents=True)
    rows = sorted(rows)

    def lines(name: str, values: Iterator[str]) -> None:
        (folder / name).write_text("".join(f"{value}\n" for value in values))

    lines("wav.scp", (f"{utterance} made-up/{utterance}.flac" for utterance, _ in rows))
    lines("utt2spk", (f"{utterance} {speaker}" for utterance, speaker in rows))
    lines("utt2dur", (f"{utterance} {mean_s}" for utterance, _ in rows))
    lines("text", (f"{utterance} ONE TWO THREE" for utterance, _ in rows))
    lines("spk2gender", (f"{name} {name[1]}" for name in sorted({name for _, name in rows})))
