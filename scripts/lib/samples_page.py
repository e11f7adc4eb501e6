"""Choose utterances to listen to, and lay their recordings out on a page: one row per system."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import cycle

import pandas as pd

from scripts.lib.manifest import ENROLMENT

STYLE = """
body { font: 16px/1.4 sans-serif; margin: 2em; color: #222; background: #fff; }
table { border-collapse: collapse; }
th, td { padding: 0.4em 0.8em; text-align: left; vertical-align: top; }
tr { border-bottom: 1px solid #ddd; }
thead th { position: sticky; top: 0; background: #fff; max-width: 18em; font-weight: normal; }
tbody th { min-width: 14em; max-width: 22em; }
th small { font-weight: normal; color: #555; }
tr.original { background: #eef5ee; }
audio { width: 16em; height: 2.2em; }
.note { max-width: 60em; color: #555; }
small { color: #666; }
"""


def choose_samples(utterances: pd.DataFrame, count: int) -> list[str]:
    """Return trial utterances, each of another speaker, women and men in turn.

    Parameters
    ----------
    utterances
        Manifest of a dataset.
    count
        How many.

    Examples
    --------
    >>> table = pd.DataFrame({"utterance": ["a1", "a2", "b1", "c1"], "speaker": list("aabc"),
    ...     "gender": list("ffmf"), "subset": "trials"})
    >>> choose_samples(table, 3)
    ['a1', 'b1', 'c1']
    """
    heard = utterances[utterances["subset"] != ENROLMENT].sort_values("utterance")
    first = heard.drop_duplicates("speaker")
    queues = [list(first["utterance"][first["gender"] == gender]) for gender in ("f", "m")]
    if len(first) < count:
        raise ValueError(
            f"samples: {count} utterances of different speakers are wanted, "
            f"but the dataset has {len(first)} speakers with trials"
        )
    chosen: list[str] = []
    for queue in cycle(queues):
        if len(chosen) == count:
            break
        if queue:
            chosen.append(queue.pop(0))
    return chosen


def samples_page(
    title: str,
    chosen: pd.DataFrame,
    files: Mapping[str, Mapping[str, str]],
    systems: Sequence[Mapping[str, str]],
) -> str:
    """Return a page that plays every system's rendering of the same utterances.

    Parameters
    ----------
    title
        Name of the study.
    chosen
        The utterances: columns utterance, speaker, gender and text.
    files
        Path of the recording by system and utterance, relative to the page.
    systems
        For each row its `name`, printed `label` and a `note`, which may be empty; the original
        comes first.
    """
    heads = "".join(
        f"<th><b>{escape(row.utterance)}</b> ({escape(row.gender)})<br>{escape(row.text)}</th>"
        for row in chosen.itertuples()
    )
    body = []
    for number, system in enumerate(systems):
        cells = "".join(
            f'<td><audio controls preload="metadata" src="{escape(files[system["name"]][name])}">'
            "</audio></td>"
            for name in chosen["utterance"]
        )
        note = f"<br><small>{escape(system['note'])}</small>" if system["note"] else ""
        kind = ' class="original"' if number == 0 else ""
        body.append(f"<tr{kind}><th>{escape(system['label'])}{note}</th>{cells}</tr>")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f"<title>Samples: {escape(title)}</title><style>{STYLE}</style></head><body>",
            "<h1>Samples</h1>",
            f'<p class="note">{escape(title)}. The same trial utterances as every system renders '
            "them; each column is one speaker, the first row is the original.</p>",
            f"<table><thead><tr><th>System</th>{heads}</tr></thead><tbody>",
            *body,
            "</tbody></table></body></html>",
            "",
        ]
    )
