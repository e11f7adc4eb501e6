"""How much there is to hear: hours, utterances and trials of a dataset, before a run."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts.lib.kaldi_files import read_lines, read_map
from scripts.lib.synthesis.plan import Slot, slots

# The demo's utterances last 3.2 s on average; without durations in lists, read speech is assumed.
SYNTHETIC_S, ASSUMED_S = 3.2, 8.0


@dataclass(frozen=True)
class Workload:
    """What a dataset holds, and what that is known from."""

    hours: float
    utterances: int
    trials: int
    origin: str


def workload_of(
    name: str, entry: Mapping, synthetic: Mapping, corpora: str | Path, results: str | Path
) -> Workload:
    """Return the size of a dataset from its manifest, its lists, or the plan of its corpus.

    Parameters
    ----------
    name, entry
        The dataset and its entry.
    synthetic
        Entries of config/synthetic.
    corpora, results
        Folders of prepared corpora and of results.
    """
    if "corpus" in entry:
        planned = _planned(entry["subsets"].values(), synthetic[entry["corpus"]])
    else:
        planned = _listed([Path(corpora) / folder for folder in entry["subsets"].values()])
    manifest = Path(results) / "data" / name / "manifest.tsv"
    if not manifest.is_file():
        return planned
    with manifest.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    hours = sum(float(row["duration_s"]) for row in rows) / 3600
    return Workload(hours, len(rows), planned.trials, "manifest")


def _listed(folders: list[Path]) -> Workload:
    seconds, utterances, trials, assumed = 0.0, 0, 0, 0
    for folder in folders:
        trials += sum(1 for _ in read_lines(folder / "trials")) if _has(folder, "trials") else 0
        if not _has(folder, "wav.scp"):
            continue
        names = read_map(folder / "wav.scp")
        durations = read_map(folder / "utt2dur") if _has(folder, "utt2dur") else {}
        utterances += len(names)
        assumed += sum(1 for name in names if name not in durations)
        seconds += sum(float(durations.get(name, ASSUMED_S)) for name in names)
    origin = f"lists, {assumed} utterances taken as {ASSUMED_S:.0f} s" if assumed else "lists"
    return Workload(seconds / 3600, utterances, trials, origin)


def _has(folder: Path, name: str) -> bool:
    return (folder / name).is_file()


def _planned(folders: list[str], corpus: Mapping) -> Workload:
    spoken = [slot for slot in slots(corpus) if _folder_of(slot) in folders]
    trials = 0
    for gender in "fm":
        own = [slot for slot in spoken if slot.gender == gender]
        enrolled = {slot.speaker for slot in own if slot.enrolment}
        trials += len(enrolled) * sum(not slot.enrolment for slot in own)
    hours = len(spoken) * SYNTHETIC_S / 3600
    return Workload(hours, len(spoken), trials, f"plan, {SYNTHETIC_S} s an utterance")


def _folder_of(slot: Slot) -> str:
    if slot.part not in ("dev", "test"):
        return f"synth_{slot.part}"
    return f"synth_{slot.part}_{'enrolls' if slot.enrolment else f'trials_{slot.gender}'}"
