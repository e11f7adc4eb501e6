"""Kaldi data directories: the lists in which the challenges hand out their data."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from scripts.lib.audio import duration_s
from scripts.lib.files import atomic_path
from scripts.lib.folds import read_fold_lists
from scripts.lib.kaldi_files import audio_path, fold_folders, list_files, read_lines, read_map
from scripts.lib.manifest import ENROLMENT, check_manifest

# A listed duration is printed with three decimals; more than this is another file.
DURATION_TOLERANCE_S = 0.02


def dataset_folder(lists: Sequence[str], config: Mapping) -> Path:
    """Return the folder that a dataset's directories lie in.

    Parameters
    ----------
    lists
        What the dataset is read from: list files, or the checksums of an embedded corpus, whose
        data lie beside them.
    config
        The dataset's entry, with the `folder` of a prepared corpus.
    """
    return Path(config["folder"]) if "folder" in config else Path(lists[0]).parent / "data"


def read_kaldi_dir(
    directory: str | Path,
    root: str | Path,
    subset: str,
    *,
    resample: bool = False,
    downmix: bool = False,
) -> pd.DataFrame:
    """Return the manifest of one data directory, its audio headers checked.

    Parameters
    ----------
    directory
        Folder with wav.scp, utt2spk, spk2gender and perhaps text, utt2dur, utt2emo, and folds by
        spk2fold, utt2fold or lists below folds/.
    root
        Folder that relative paths in wav.scp start from.
    subset
        Name that the manifest gives to these utterances.
    resample, downmix
        Whether another rate or several channels are allowed.
    """
    directory = Path(directory)
    files = {file.name for file in list_files(directory)}
    paths = read_map(directory / "wav.scp")
    speakers = read_map(directory / "utt2spk")
    genders = read_map(directory / "spk2gender")
    texts = read_map(directory / "text", empty=True) if "text" in files else {}
    listed_s = read_map(directory / "utt2dur") if "utt2dur" in files else {}
    emotions = read_map(directory / "utt2emo") if "utt2emo" in files else {}
    by_speaker = read_map(directory / "spk2fold") if "spk2fold" in files else {}
    by_utterance = read_map(directory / "utt2fold") if "utt2fold" in files else {}
    tested, developed = read_fold_lists(directory, paths) if fold_folders(directory) else ({}, {})
    for utterance in by_utterance.keys() & tested.keys():
        if by_utterance[utterance] != tested[utterance]:
            raise ValueError(
                f"{directory / 'utt2fold'}: utterance {utterance} is of fold "
                f"{by_utterance[utterance]}, but folds/ tests it in fold {tested[utterance]}"
            )
    by_utterance |= tested
    if "spk2utt" in files:
        _check_inverse(directory, speakers)
    rows = []
    for utterance, entry in paths.items():
        speaker = _look_up(speakers, utterance, directory / "utt2spk", "utterance")
        path = audio_path(directory / "wav.scp", utterance, entry, root)
        rows.append(
            {
                "utterance": utterance,
                "speaker": speaker,
                "gender": _look_up(genders, speaker, directory / "spk2gender", "speaker"),
                "subset": subset,
                "path": str(path),
                "duration_s": duration_s(path, resample=resample, downmix=downmix),
                "text": _look_up(texts, utterance, directory / "text", "utterance")
                if texts
                else "",
                "emotion": emotions.get(utterance, ""),
                "fold": by_utterance.get(utterance, by_speaker.get(speaker, "")),
                "dev_fold": developed.get(utterance, ""),
            }
        )
        if utterance in listed_s:
            _check_duration(directory, utterance, float(listed_s[utterance]), rows[-1])
    for utterance in speakers.keys() - paths.keys():
        raise ValueError(f"{directory / 'wav.scp'}: lacks utterance {utterance} of utt2spk")
    table = pd.DataFrame(rows)
    check_manifest(table, origin=directory)
    if subset == ENROLMENT:
        table = _keep_enrolled(directory, table)
    return table


def read_trials(path: str | Path) -> pd.DataFrame:
    """Return a trial list with columns `enrol`, `test` and `target`.

    Every line holds the enrolled speaker, the trial utterance and `target` or `nontarget`.
    """
    rows, wrong = [], []
    for number, fields in read_lines(path):
        if len(fields) != 3 or fields[2] not in ("target", "nontarget"):
            wrong.append((number, " ".join(fields)))
            continue
        rows.append((fields[0], fields[1], int(fields[2] == "target")))
    if wrong:
        number, line = wrong[0]
        more = f"; {len(wrong)} such lines in all" if len(wrong) > 1 else ""
        raise ValueError(
            f"{path}, line {number}: expected `speaker utterance target|nontarget`, "
            f"found {line!r}{more}"
        )
    return pd.DataFrame(rows, columns=["enrol", "test", "target"])


def read_speakers(path: str | Path) -> dict[str, str]:
    """Return the speaker of each utterance of a list `utterance speaker`."""
    return read_map(path)


def write_kaldi_dir(
    directory: str | Path,
    utterances: pd.DataFrame,
    *,
    trials: pd.DataFrame | None = None,
    enrolment: bool = False,
) -> None:
    """Write the lists of a data directory, each sorted by its first field in byte order.

    Parameters
    ----------
    directory
        Folder to write into.
    utterances
        Columns utterance, speaker, gender, path, duration_s, text, and perhaps emotion and fold.
    trials
        Columns enrol, test and target: written as `trials`.
    enrolment
        Whether to write `enrolls`, naming every utterance.
    """
    directory = Path(directory)
    speakers = utterances.drop_duplicates("speaker")
    spoken = utterances.sort_values("utterance").groupby("speaker")["utterance"].agg(" ".join)
    lists = {
        "wav.scp": _pairs(utterances, "utterance", "path"),
        "utt2spk": _pairs(utterances, "utterance", "speaker"),
        "spk2utt": [f"{speaker} {names}" for speaker, names in spoken.items()],
        "spk2gender": _pairs(speakers, "speaker", "gender"),
        "utt2dur": [
            f"{name} {value:.6g}"
            for name, value in zip(utterances["utterance"], utterances["duration_s"], strict=True)
        ],
    }
    if (utterances["text"] != "").all():
        lists["text"] = _pairs(utterances, "utterance", "text")
    if "emotion" in utterances and (utterances["emotion"] != "").all():
        lists["utt2emo"] = _pairs(utterances, "utterance", "emotion")
    if "fold" in utterances and (utterances["fold"].astype(str) != "").all():
        lists["spk2fold"] = _pairs(speakers, "speaker", "fold")
    if enrolment:
        lists["enrolls"] = list(utterances["utterance"])
    if trials is not None:
        labels = trials["target"].map({1: "target", 0: "nontarget"})
        lists["trials"] = list(trials["enrol"] + " " + trials["test"] + " " + labels)
    for name, lines in lists.items():
        with atomic_path(directory / name) as temporary:
            temporary.write_text("".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")


def _pairs(table: pd.DataFrame, key: str, value: str) -> list[str]:
    return list(table[key].astype(str) + " " + table[value].astype(str))


def _look_up(table: dict[str, str], key: str, path: Path, noun: str) -> str:
    if key not in table:
        raise ValueError(f"{path}: lacks {noun} {key}; add a line for it")
    return table[key]


def _check_duration(directory: Path, utterance: str, listed_s: float, row: dict) -> None:
    if abs(listed_s - row["duration_s"]) > DURATION_TOLERANCE_S:
        raise ValueError(
            f"{row['path']}: lasts {row['duration_s']:.3f} s, but {directory / 'utt2dur'} says "
            f"{listed_s:.3f} s for utterance {utterance}; restore the file or correct the list"
        )


def _check_inverse(directory: Path, speakers: dict[str, str]) -> None:
    inverse = {
        utterance: speaker
        for speaker, spoken in read_map(directory / "spk2utt").items()
        for utterance in spoken.split()
    }
    for utterance in sorted(speakers.keys() | inverse.keys()):
        if speakers.get(utterance) != inverse.get(utterance):
            raise ValueError(
                f"{directory}: utt2spk gives utterance {utterance} to speaker "
                f"{speakers.get(utterance)}, spk2utt to {inverse.get(utterance)}"
            )


def _keep_enrolled(directory: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Keep the utterances that `enrolls` names: a folder may hold more than is enrolled."""
    path = directory / "enrolls"
    if not path.is_file():
        return table
    names = read_map(path, empty=True)
    unknown = sorted(names.keys() - set(table["utterance"]))
    if unknown:
        raise ValueError(f"{path}: utterance {unknown[0]} is not in {directory / 'wav.scp'}")
    return table[table["utterance"].isin(names)]
