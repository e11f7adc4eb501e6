"""Fetch one file from the network: go on after a broken connection, check, then put in place."""

import logging
import os
import re
import urllib.error
import urllib.request
from pathlib import Path

from scripts.lib.provenance import file_digest

logger = logging.getLogger(__name__)
CHUNK = 1 << 20
TIMEOUT_S = 60


def fetch(url: str, path: str | Path, sha256: str | None = None) -> str:
    """Download a file and return its SHA-256.

    What has arrived stands beside the file, as NAME.part, until it is complete. The next attempt
    asks for the rest only, where the server can do that.

    Parameters
    ----------
    url
        Address: https, http or file.
    path
        Where the file shall stand once it is complete and right.
    sha256
        Expected checksum. Without one nothing but the length is checked.
    """
    path = Path(path)
    part = path.with_name(f"{path.name}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        _receive(url, part)
    except (urllib.error.URLError, OSError) as error:
        held = part.stat().st_size if part.exists() else 0
        raise ConnectionError(
            f"{url}: the download broke off ({error}); {held} bytes are kept in {part}, and the "
            "next run goes on from there"
        ) from error
    found = file_digest(part)
    if sha256 is not None and found != sha256:
        part.unlink()
        raise ValueError(
            f"{url}: its SHA-256 is {found}, expected {sha256}; the file was removed. If the "
            "address holds the right file, correct `sha256` in the entry of config/downloads"
        )
    os.replace(part, path)
    return found


def _receive(url: str, part: Path) -> None:
    """Append what is missing of a file; a server that sends all of it again overwrites it."""
    held = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={held}-"} if held else {})
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # nothing is left to send
            return
        raise
    with response:
        resumed = getattr(response, "status", None) == 206
        start = held if resumed else 0
        logger.info("%s: receiving from byte %d", url, start)
        length = response.headers.get("Content-Length")
        with part.open("ab" if resumed else "wb") as stream:
            while block := response.read(CHUNK):
                stream.write(block)
        expected = start + int(length) if length is not None else None
        if resumed:
            expected = _total(response.headers.get("Content-Range", "")) or expected
    arrived = part.stat().st_size
    if expected is not None and arrived != expected:
        raise ConnectionResetError(f"{arrived} of {expected} bytes arrived")


def _total(content_range: str) -> int | None:
    """Return the whole length that a Content-Range header names.

    Examples
    --------
    >>> _total("bytes 10-19/20"), _total("bytes 10-19/*")
    (20, None)
    """
    found = re.search(r"/(\d+)$", content_range)
    return int(found[1]) if found else None
