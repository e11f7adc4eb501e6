"""The page docs/own-systems.md, taken apart, and the corpus that it speaks of."""

import re
import sys
from pathlib import Path

import soundfile

from scripts.lib.audio import RATE_HZ, read_audio
from scripts.lib.kaldi import write_kaldi_dir
from tests.factories import make_evaluation_set, make_utterances
from tests.workflow.checkout import REPOSITORY, Checkout

PAGE = REPOSITORY / "docs" / "own-systems.md"
FILE = re.compile(r"(Add to )?`([^`\n]+)`:\n\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
MESSAGE = re.compile(r"^```text\n(.*?)^```", re.DOTALL | re.MULTILINE)


def files_on_page() -> dict[str, str]:
    """Return the files that a reader has written at the end of the page."""
    files: dict[str, str] = {}
    for is_addition, name, text in FILE.findall(PAGE.read_text(encoding="utf-8")):
        assert bool(is_addition) == (name in files), f"{name}: written twice, or added to nothing"
        files[name] = files.get(name, "") + text
    return files


def commands_on_page() -> list[str]:
    return "".join(COMMANDS.findall(PAGE.read_text(encoding="utf-8"))).splitlines()


def message_on_page() -> str:
    return MESSAGE.search(PAGE.read_text(encoding="utf-8"))[1].rstrip("\n")


def set_the_scene(folder: Path) -> Checkout:
    """Make the clone, the corpus beside it, the finished audio, and the files of the page."""
    checkout = Checkout(folder / "bench")
    (checkout.folder / ".venv").symlink_to(sys.prefix)
    corpus = folder / "speech"
    make_evaluation_set(corpus)
    speakers = {f"{gender}{number}": gender for gender in "fm" for number in (5, 6)}
    write_kaldi_dir(corpus / "train", make_utterances(corpus, speakers, 4, prefix="r"))
    (folder / "anonymized" / "test").mkdir(parents=True)
    for path in sorted((corpus / "wav").glob("*-[et]?.wav")):
        soundfile.write(folder / "anonymized" / "test" / path.name, -read_audio(path), RATE_HZ)
    for name, text in files_on_page().items():
        path = checkout.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return checkout
