"""Published values as the tidy metric rows that computed results have."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path

import pandas as pd

from scripts.lib.metrics import eer_interval
from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM
from scripts.lib.wer_plan import NO_LM

METRICS = {"gvd": "g_vd", "deid": "de_id"}
PERCENT = frozenset({"eer", "wer", "uar", "de_id"})
GENDERS = {"female": "f", "male": "m", "average": "average", "": ""}
CORPORA = {"LibriSpeech": "libri", "VCTK": "vctk"}
# The baselines of 2024 carry the names of 2020, but are other systems.
SYSTEMS_2024 = {"Orig": "orig", "B1": "b1_2024", "B2": "b2_2024"}

# What the recognisers of printed word error rates were trained on.
_HEARD = {"trained_on": REFERENCE_SYSTEM}


def read_vpc2020(privacy: str | Path, trials: str | Path) -> pd.DataFrame:
    """Return Tables 2 to 15 of the 2020 supplement, with intervals of EER.

    Parameters
    ----------
    privacy
        CSV with columns table, split, dataset, gender, attacker, system, metric and value.
    trials
        CSV with the numbers of target and impostor trials.
    """
    counts = _trial_counts(_read(trials))
    rows: dict[tuple, dict] = {}
    for line in _read(privacy).itertuples():
        dataset, gender = _dataset(line.dataset, line.split), GENDERS[line.gender]
        row = {
            "attacker": _attacker(line.attacker, line.system),
            "seed": "0",
            "system": line.system.lower(),
            "dataset": dataset,
            "gender": gender,
            **_value(METRICS.get(line.metric, line.metric), line.value),
            **counts[dataset, gender],
            "definition": "as printed in the supplementary material of 2020",
        }
        if row["metric"] == "eer":
            ends = eer_interval(float(row["value"]), row["targets"], row["nontargets"])
            row |= {"low": ends.low, "high": ends.high}
        key = tuple(row[name] for name in ("attacker", "system", "dataset", "gender", "metric"))
        # Original speech is printed once for each attacker.
        known = rows.setdefault(key, row)
        if known["value"] != row["value"]:
            raise ValueError(
                f"{privacy}: two values of {' '.join(key)}: {known['value']} and {row['value']}"
            )
    return pd.DataFrame(list(rows.values()))


def read_vpc2020_plan(wer: str | Path, table: str) -> pd.DataFrame:
    """Return Table 9 or 11 of the 2020 plan; each prints original speech anew, not quite alike.

    Parameters
    ----------
    wer
        CSV with columns table, split, dataset, trial, system, metric, lm and value.
    table
        Number of the table.
    """
    lines = _read(wer)
    return pd.DataFrame(
        {
            **_HEARD,
            "lm": line.lm,
            "seed": "0",
            "system": line.system.lower(),
            "dataset": _dataset(line.dataset, line.split),
            **_value(line.metric, line.value),
            "definition": "as printed in the evaluation plan of 2020",
        }
        for line in lines[lines["table"] == table].itertuples()
    )


def read_vpc2024(baselines: str | Path) -> pd.DataFrame:
    """Return Tables 6 to 8 of the 2024 plan.

    Parameters
    ----------
    baselines
        CSV with columns table, metric, dataset, split, gender, attacker, system and value.
    """
    return pd.DataFrame(list(_rows_2024(_read(baselines))))


def _rows_2024(lines: pd.DataFrame) -> Iterator[dict]:
    for line in lines.itertuples():
        metric = "eer_interpolated" if line.metric == "eer" else line.metric
        emotion = metric == "uar"
        yield {
            "attacker": line.attacker.replace("-", "_"),
            "seed": "0",
            "system": SYSTEMS_2024[line.system],
            "dataset": line.dataset if emotion else _dataset(line.dataset, line.split),
            "subset": line.split if emotion else "",
            "gender": GENDERS[line.gender],
            **(_HEARD | {"lm": NO_LM} if metric == "wer" else {}),
            **_value(metric, line.value),
            "definition": "as printed in the evaluation plan of 2024",
        }


def _read(path: str | Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _dataset(name: str, split: str) -> str:
    """Name a dataset corpus first, then split, then part: `vctk_test_common`."""
    corpus, _, part = name.partition("_")
    return "_".join(filter(None, [corpus, split, part]))


def _attacker(printed: str, system: str) -> str:
    reference = printed and system.lower() == REFERENCE_SYSTEM
    return REFERENCE_ATTACKER if reference else printed.replace("-", "_")


def _value(metric: str, printed: str) -> dict:
    # Decimal arithmetic, so that 8.66 % is stored as 0.0866 and printed as 8.66 again.
    value = Decimal(printed) / (100 if metric in PERCENT | {"eer_interpolated"} else 1)
    return {"metric": metric, "value": str(value), "low": "", "high": ""}


def _trial_counts(lines: pd.DataFrame) -> Mapping[tuple[str, str], dict]:
    counts: dict[tuple[str, str], dict] = {}
    column = {"trials_target": "targets", "trials_impostor": "nontargets"}
    for line in lines[lines["gender"] != "total"].itertuples():
        dataset = "_".join(filter(None, [CORPORA[line.corpus], line.split, line.part]))
        entry = counts.setdefault((dataset, GENDERS[line.gender]), {})
        entry[column[line.item]] = int(line.value)
    return counts
