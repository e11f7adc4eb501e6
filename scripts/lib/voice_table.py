"""The pseudo-voice of every utterance of a dataset, as vectors that a chain speaks with."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scripts.lib.files import atomic_path

ORIGINAL, ANONYMIZED = "orig", "anon"
# Between the names of donors; no speaker's name holds it.
SEPARATOR = " "


@dataclass(frozen=True)
class Voice:
    """The vectors of one utterance, each of shape (dim,), and who lent the pseudo-voice.

    Parameters
    ----------
    anon
        Vector of the pseudo-voice.
    orig
        Vector of the speaker.
    donors
        Speakers of the pool whose vectors were averaged; none where it was made otherwise.
    """

    anon: np.ndarray
    orig: np.ndarray
    donors: tuple[str, ...] = ()

    def routed(self, route: str) -> np.ndarray:
        """Return the vector that a part of the chain hears: `anon` or `orig`."""
        return {ANONYMIZED: self.anon, ORIGINAL: self.orig}[route]


class VoiceTable:
    """The voices of a dataset's utterances.

    Parameters
    ----------
    utterances
        Names.
    pseudo, source
        Vectors of the pseudo-voices and of the speakers, shape (utterances, dim).
    donors
        For each utterance the speakers whose vectors were averaged.
    """

    def __init__(
        self,
        utterances: Sequence[str],
        pseudo: np.ndarray,
        source: np.ndarray,
        donors: Sequence[Sequence[str]],
    ):
        if not len(utterances) == len(pseudo) == len(source) == len(donors):
            raise ValueError("a voice table needs two vectors and donors for every utterance")
        if pseudo.shape != source.shape:
            raise ValueError(
                f"pseudo-voices have {pseudo.shape[1]} dimensions, speakers {source.shape[1]}"
            )
        for name, vectors in (("pseudo-voice", pseudo), ("speaker", source)):
            wrong = ~np.isfinite(vectors).all(axis=1)
            if wrong.any():
                raise ValueError(
                    f"utterance {utterances[int(np.argmax(wrong))]}: "
                    f"the vector of its {name} is not finite"
                )
        self.utterances = list(utterances)
        self.pseudo, self.source = pseudo.astype(np.float32), source.astype(np.float32)
        self.donors = [tuple(names) for names in donors]
        self._place = {name: place for place, name in enumerate(self.utterances)}

    def __getitem__(self, utterance: str) -> Voice:
        if utterance not in self._place:
            raise ValueError(f"utterance {utterance}: has no pseudo-voice")
        place = self._place[utterance]
        return Voice(self.pseudo[place], self.source[place], self.donors[place])


def write_voices(path: str | Path, table: VoiceTable) -> None:
    """Write a table of voices; the same table gives the same bytes."""
    with atomic_path(path) as temporary:
        np.savez(
            temporary,
            utterances=np.array(table.utterances),
            pseudo=table.pseudo,
            source=table.source,
            donors=np.array([SEPARATOR.join(names) for names in table.donors]),
        )


def read_voices(path: str | Path) -> VoiceTable:
    """Return the table that `write_voices` wrote."""
    with np.load(path) as archive:
        return VoiceTable(
            archive["utterances"].tolist(),
            archive["pseudo"],
            archive["source"],
            [names.split(SEPARATOR) if names else [] for names in archive["donors"].tolist()],
        )
