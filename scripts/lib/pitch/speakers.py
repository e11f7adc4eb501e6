"""Pitch of speakers, as far as a change of pitch asks for it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from scripts.lib.feature_store import read_features
from scripts.lib.manifest import read_manifests
from scripts.lib.pitch.transforms import PitchStatistics, pitch_statistics, transform


class SpeakerPitch:
    """Statistics of speakers, computed when they are asked for.

    Parameters
    ----------
    manifests
        Manifests of the dataset and of the pool; none where pitch is not moved to others'.
    features
        Files with the pitch of all their utterances.
    """

    def __init__(self, manifests: Sequence[str], features: Sequence[str]):
        self._contours = [read_features(path) for path in features]
        self._spoken: dict[tuple[str, str], list[str]] = defaultdict(list)
        for manifest in manifests:
            for row in read_manifests([manifest]).itertuples():
                # A speaker's enrolment and trials are different parts, as for voices.
                self._spoken[row.speaker, row.subset].append(row.utterance)
        self._statistics = cache(self._measure)

    def transform(
        self,
        f0: np.ndarray,
        utterance: tuple,
        donors: Sequence[str],
        settings: Mapping,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Return the contour that an utterance is spoken with.

        Parameters
        ----------
        f0
            Pitch of the utterance in Hz, 0 where unvoiced.
        utterance
            Its row of the manifest, with `speaker` and `subset`.
        donors
            Speakers of the pool who lend their voice.
        settings
            Params `f0` of the system.
        rng
            Generator of the utterance.
        """
        if not self._spoken:
            return transform(f0, settings, rng=rng)
        return transform(
            f0,
            settings,
            source=self._statistics(utterance.speaker, utterance.subset),
            donors=[self._statistics(donor, None) for donor in donors],
            rng=rng,
        )

    def _measure(self, speaker: str, subset: str | None) -> PitchStatistics:
        names = [
            name
            for (owner, part), spoken in self._spoken.items()
            if owner == speaker and subset in (None, part)
            for name in spoken
        ]
        return pitch_statistics((self._contour(name) for name in names), speaker)

    def _contour(self, utterance: str) -> np.ndarray:
        for contours in self._contours:
            if utterance in contours:
                return contours[utterance]
        raise ValueError(f"utterance {utterance}: no file holds its pitch")
