"""Downloads from a server on this machine that can be told to break off."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from scripts.lib.downloads import fetch

CONTENT = bytes(range(256)) * 40
RIGHT = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Sends CONTENT, the first `broken` answers only up to their middle."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.broken, self.resumes, self.asked = 0, True, []


class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        wanted = self.headers.get("Range")
        self.server.asked.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if start and start >= len(CONTENT):
            self.send_error(416)
            return
        start = start if self.server.resumes else 0
        rest = CONTENT[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(rest)))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}")
        self.end_headers()
        if self.server.broken:
            self.server.broken -= 1
            rest = rest[: len(rest) // 2]
        self.wfile.write(rest)

    def log_message(self, *arguments):
        """Keep quiet."""


@pytest.fixture
def server():
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        running.url = f"http://127.0.0.1:{running.server_port}/corpus.zip"
        yield running
        running.shutdown()
        thread.join()


def test_a_file_arrives_whole(server, tmp_path):
    assert fetch(server.url, tmp_path / "a.zip", RIGHT) == RIGHT
    assert (tmp_path / "a.zip").read_bytes() == CONTENT
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_without_a_checksum_the_one_found_is_returned(server, tmp_path):
    assert fetch(server.url, tmp_path / "a.zip") == RIGHT


@pytest.mark.parametrize("resumes", [True, False])
def test_a_broken_download_goes_on(server, tmp_path, resumes):
    server.broken, server.resumes = 1, resumes
    with pytest.raises(ConnectionError, match=r"5120 of 10240 bytes.* 5120 bytes are kept"):
        fetch(server.url, tmp_path / "a.zip", RIGHT)
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip.part"]
    fetch(server.url, tmp_path / "a.zip", RIGHT)
    assert (tmp_path / "a.zip").read_bytes() == CONTENT
    assert server.asked == [None, "bytes=5120-"]


def test_a_file_that_only_lacked_its_name_is_not_sent_again(server, tmp_path):
    (tmp_path / "a.zip.part").write_bytes(CONTENT)
    fetch(server.url, tmp_path / "a.zip", RIGHT)
    assert (tmp_path / "a.zip").read_bytes() == CONTENT


def test_a_wrong_checksum_leaves_nothing_behind(server, tmp_path):
    with pytest.raises(ValueError, match=rf"its SHA-256 is {RIGHT}, expected {'0' * 64}"):
        fetch(server.url, tmp_path / "a.zip", "0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_an_address_without_a_file_is_named(tmp_path):
    with pytest.raises(ConnectionError, match=r"gone\.zip: the download broke off"):
        fetch((tmp_path / "gone.zip").as_uri(), tmp_path / "a.zip")


def test_a_local_file_is_an_address(tmp_path):
    (tmp_path / "source.zip").write_bytes(CONTENT)
    fetch((tmp_path / "source.zip").as_uri(), tmp_path / "a.zip", RIGHT)
    assert (tmp_path / "a.zip").read_bytes() == CONTENT
