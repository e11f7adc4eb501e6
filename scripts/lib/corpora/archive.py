"""Read the zip archive of a repository at one commit, as GitHub hands it out."""

import hashlib
import zipfile
from pathlib import Path, PurePosixPath

import numpy as np

from scripts.lib.audio import RATE_HZ


class Archive:
    """The files of a repository, by their path in it.

    Parameters
    ----------
    path
        A zip file with one folder at its top.
    commit
        The commit that the archive must be of, which git writes into the zip's comment.
    """

    def __init__(self, path: str | Path, commit: str):
        self.path = Path(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except zipfile.BadZipFile as error:
            raise ValueError(f"{path}: not a zip archive ({error}); remove it") from error
        found = self._zip.comment.decode("ascii", "replace")
        if found != commit:
            raise ValueError(f"{path}: is of commit {found or 'unknown'}, expected {commit}")
        self._members = {
            PurePosixPath(*PurePosixPath(name).parts[1:]).as_posix(): name
            for name in self._zip.namelist()
            if not name.endswith("/")
        }

    def names(self, suffix: str = "") -> list[str]:
        """Return the paths of all files that end so."""
        return [name for name in self._members if name.endswith(suffix)]

    def read(self, name: str) -> bytes:
        """Return the bytes of one file, its checksum in the archive tested."""
        if name not in self._members:
            raise ValueError(f"{self.path}: holds no file {name}")
        try:
            return self._zip.read(self._members[name])
        except zipfile.BadZipFile as error:
            raise ValueError(f"{self.path}: {name} is damaged ({error}); remove it") from error


def check_samples(archive: Archive, name: str, samples: np.ndarray, rate_hz: int, md5: str) -> None:
    """Refuse a recording whose samples are not the expected ones.

    Parameters
    ----------
    archive, name
        Where it comes from.
    samples
        16-bit integers of one channel.
    rate_hz
        Its sampling rate, which must be 16 kHz.
    md5
        Digest of the samples as little-endian bytes, as a FLAC file states it.
    """
    found = hashlib.md5(samples.astype("<i2").tobytes(), usedforsecurity=False).hexdigest()
    if rate_hz != RATE_HZ or found != md5:
        raise ValueError(
            f"{archive.path}: {name} has samples of MD5 {found} at {rate_hz} Hz, expected {md5} "
            f"at {RATE_HZ} Hz"
        )
