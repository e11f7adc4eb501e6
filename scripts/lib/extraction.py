"""Walk through the recordings of a shard and store a row of features for each of their frames."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from scripts.lib.audio import read_audio
from scripts.lib.feature_store import write_features
from scripts.lib.frames import frame_count
from scripts.lib.manifest import read_manifests


def extract_features(
    manifests: Sequence[str], path: str, features_of: Callable[[np.ndarray], np.ndarray]
) -> int:
    """Write the features of every utterance and return how many there are.

    Parameters
    ----------
    manifests
        Audio manifests of the shard.
    path
        File to write.
    features_of
        Maps samples to features with one row per frame of the common grid. Another number of rows
        is an error here, before anything is trained on it.
    """

    def utterances() -> Iterator[tuple[str, np.ndarray]]:
        for row in read_manifests(manifests).itertuples():
            samples = read_audio(row.path)
            try:
                features = features_of(samples)
            except ValueError as error:
                raise ValueError(f"utterance {row.utterance}, {row.path}: {error}") from error
            if len(features) != frame_count(samples):
                raise ValueError(
                    f"utterance {row.utterance}, {row.path}: {len(features)} rows of features for "
                    f"{frame_count(samples)} frames"
                )
            yield row.utterance, features

    return write_features(path, utterances())
