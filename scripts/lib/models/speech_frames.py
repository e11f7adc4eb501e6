"""Speech to train a synthesiser on, frame by frame: log-mel, pitch, content, vectors, samples."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch

from scripts.lib.audio import read_audio
from scripts.lib.embeddings import load_embeddings, stack_embeddings
from scripts.lib.feature_store import read_features
from scripts.lib.frames import BANDS, HOP, level, log_mel
from scripts.lib.models.frame_store import FrameStore, in_parallel
from scripts.lib.models.training import device
from scripts.lib.seeding import rng_for

# ln F0 of speech has about this mean and spread, so that a network sees values of about one.
LOG_F0_MEAN, LOG_F0_SPREAD = 5.0, 0.35
Predict = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Crop(NamedTuple):
    """Frames of several utterances, of shape (batch, frames, …), and one vector of each.

    `inside` is false where an utterance is shorter than the crop; there everything is 0.
    """

    mel: torch.Tensor
    f0: torch.Tensor
    content: torch.Tensor
    samples: torch.Tensor
    vectors: torch.Tensor
    inside: torch.Tensor


class SpeechFrames:
    """All training speech at −26 dB, in an unnamed file mapped into memory.

    Parameters
    ----------
    utterances
        Manifest of the training data.
    features
        Files of `pitch`, `content` and `vectors`, as far as the entry names them.
    config
        The entry: `validation` is the share of utterances that is not trained on.
    seed
        Seed of which those are.
    threads
        How many recordings are read at a time.
    predict
        Maps content, pitch and vector to the log-mel that stands in for that of the recording.
    """

    def __init__(
        self,
        utterances: pd.DataFrame,
        features: Mapping[str, Sequence[str]],
        config: Mapping,
        seed: int,
        threads: int,
        predict: Predict | None = None,
    ) -> None:
        self.names = list(utterances["utterance"])
        self.speakers = utterances["speaker"].to_numpy()
        self.vectors = np.zeros((len(self.names), 0), dtype=np.float32)
        if features.get("vectors"):
            found = load_embeddings(features["vectors"])
            self.vectors = stack_embeddings(found, self.names).astype(np.float32)
        kinds = [
            read_features(*features[kind]) if features.get(kind) else None
            for kind in ("pitch", "content")
        ]
        paths = list(utterances["path"])

        def extract(index: int) -> np.ndarray:
            name, path = self.names[index], paths[index]
            samples = level(read_audio(path))
            own = [samples.reshape(-1, HOP)]
            for found in kinds:
                frames = np.zeros((len(own[0]), 0)) if found is None else found[name]
                own.append(frames.reshape(len(frames), -1))
            if len({len(frames) for frames in own}) > 1:
                raise ValueError(
                    f"utterance {name}, {path}: {len(own[0])} frames of speech, but "
                    f"{len(own[1])} of pitch and {len(own[2])} of content; extract them anew"
                )
            if predict is None:
                mel = log_mel(samples)
            else:
                mel = predict(own[2], own[1][:, 0], self.vectors[index])
            return np.concatenate([mel, *own], axis=1)

        self._edges = np.cumsum([BANDS, HOP, 0 if kinds[0] is None else 1])
        self._width = extract(0).shape[1]
        # A network that predicts has threads of its own.
        arrays = in_parallel(extract, range(len(self.names)), threads if predict is None else 1)
        self._store = FrameStore(arrays, self._width)
        self.lengths = self._store.lengths()
        self.train, self.valid = _split(self.speakers, config["validation"], seed)

    @property
    def sizes(self) -> dict[str, int]:
        """Return the dimensions of content and vectors."""
        content = self._width - int(self._edges[-1])
        return {"content": content, "vector": self.vectors.shape[1]}

    def draw(self, rng: np.random.Generator, count: int, frames: int, *, whole: bool) -> Crop:
        """Return random crops of training utterances, long ones more often.

        Parameters
        ----------
        rng
            Generator of this update.
        count, frames
            How many crops, and how long.
        whole
            Leave out shorter utterances, instead of filling up.
        """
        lengths = self.lengths[self.train]
        weights = np.where(lengths >= frames, lengths, 0 if whole else lengths)
        if not weights.any():
            raise ValueError(
                f"no training utterance has {frames} frames of 10 ms; lower crop_frames"
            )
        drawn = rng.choice(self.train, count, p=weights / weights.sum())
        starts = [int(rng.integers(0, max(0, self.lengths[i] - frames) + 1)) for i in drawn]
        return self.crops(drawn, starts, frames)

    def crops(self, entries: Sequence[int], starts: Sequence[int], frames: int) -> Crop:
        """Return `frames` frames of each entry from a start on, filled up with zeros."""
        pieces = np.zeros((len(entries), frames, self._width), dtype=np.float32)
        inside = np.zeros(pieces.shape[:2], dtype=bool)
        for row, (entry, start) in enumerate(zip(entries, starts, strict=True)):
            length = min(frames, int(self.lengths[entry]) - start)
            pieces[row, :length] = self._store.piece(entry, start, length)
            inside[row, :length] = True
        mel, samples, f0, content = np.split(pieces, self._edges, axis=2)
        return Crop(
            mel=_tensor(mel),
            f0=_tensor(f0[:, :, 0] if f0.shape[2] else np.zeros(f0.shape[:2], np.float32)),
            content=_tensor(content),
            samples=_tensor(samples.reshape(len(entries), -1)),
            vectors=_tensor(self.vectors[entries]),
            inside=_tensor(inside),
        )

    def validation(self, count: int, frames: int, *, whole: bool) -> tuple[Crop, torch.Tensor]:
        """Return the beginnings of held-out utterances, and a vector of another speaker for each.

        Parameters
        ----------
        count, frames
            At most how many utterances, and how long.
        whole
            Cut all to the shortest of them, instead of filling up.
        """
        entries = self.valid[:count]
        wrong = []
        for entry in entries:
            others = np.flatnonzero(self.speakers != self.speakers[entry])
            rng = rng_for(0, "wrong vector", self.names[entry])
            wrong.append(int(rng.choice(others)) if len(others) else int(entry))
        lengths = self.lengths[entries]
        frames = min(frames, int(lengths.min() if whole else lengths.max()))
        return self.crops(entries, [0] * len(entries), frames), _tensor(self.vectors[wrong])

    def moments(self, of: str) -> tuple[torch.Tensor, torch.Tensor]:
        """Return mean and spread of each dimension of `mel`, `content` or `vectors`."""
        if of == "vectors":
            return _moments(self.vectors[self.train])
        edges = [0, *self._edges.tolist(), None]
        place = ("mel", "samples", "f0", "content").index(of)
        columns = slice(edges[place], edges[place + 1])
        # A thousand utterances tell mean and spread to a percent.
        chosen = self.train[:: max(1, len(self.train) // 1000)]
        return _moments(np.concatenate([self._store[entry][:, columns] for entry in chosen]))


def pitch_inputs(f0: torch.Tensor) -> torch.Tensor:
    """Return what networks see of a contour: scaled logarithm and voicing, both 0 if unvoiced.

    Examples
    --------
    >>> pitch_inputs(torch.tensor([0.0, 148.41316])).round(decimals=3).abs().tolist()
    [[0.0, 0.0], [0.0, 1.0]]
    """
    voiced = (f0 > 0).float()
    scaled = (f0.clamp_min(1.0).log() - LOG_F0_MEAN) / LOG_F0_SPREAD
    return torch.stack([scaled * voiced, voiced], dim=-1)


def as_batch(*arrays: np.ndarray) -> list[torch.Tensor]:
    """Return arrays of one utterance as batches of one."""
    return [_tensor(np.asarray(array, dtype=np.float32)[None]) for array in arrays]


def _tensor(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(array)).to(device())


def _moments(rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    mean, spread = rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64)
    # A dimension that never moves is left as it is.
    spread[spread < 1e-6] = 1.0
    return torch.from_numpy(mean).float(), torch.from_numpy(spread).float()


def _split(speakers: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return entries to train on and to validate on, the latter in random order."""
    order = rng_for(seed, "validation").permutation(len(speakers))
    held_out = order[: max(1, round(share * len(speakers)))]
    train = np.sort(np.setdiff1d(order, held_out))
    if not len(train):
        raise ValueError("one utterance is no training data: none would be left to validate on")
    return train, held_out
