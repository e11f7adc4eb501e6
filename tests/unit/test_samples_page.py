"""Utterances to listen to, and the page that plays them."""

from html.parser import HTMLParser

import pandas as pd
import pytest

from scripts import collect_samples
from scripts.lib.manifest import write_manifest
from scripts.lib.samples_page import choose_samples
from tests.factories import make_utterances


class Sources(HTMLParser):
    """Collects what a page refers to."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in ("src", "href")]


def test_each_sample_is_another_speaker_and_genders_take_turns():
    table = pd.DataFrame(
        {
            "utterance": ["f1-1", "f1-2", "f2-1", "f3-1", "m1-1", "f1-0"],
            "speaker": ["f1", "f1", "f2", "f3", "m1", "f1"],
            "gender": ["f", "f", "f", "f", "m", "f"],
            "subset": ["trials_f"] * 4 + ["trials_m", "enrol"],
        }
    )
    assert choose_samples(table, 4) == ["f1-1", "m1-1", "f2-1", "f3-1"]
    with pytest.raises(ValueError, match="5 utterances of different speakers are wanted"):
        choose_samples(table, 5)


def test_the_page_plays_every_system_from_files_beside_it(tmp_path):
    speakers = {"s1": "f", "s2": "m"}
    dataset = make_utterances(tmp_path, speakers, 2, duration_s=0.1, subset="trials_f")
    write_manifest(tmp_path / "dataset.tsv", dataset)
    shards = []
    for system in ("orig", "b1"):
        for shard in range(2):
            part = dataset.iloc[shard::2].copy()
            folder = tmp_path / system / str(shard)
            folder.mkdir(parents=True)
            for row in part.itertuples():
                path = folder / f"{row.utterance}.wav"
                path.write_bytes(f"{system} {row.utterance}".encode())
                part.loc[row.Index, "path"] = str(path)
            shards.append(str(tmp_path / f"{system}{shard}.tsv"))
            write_manifest(shards[-1], part)
    page = tmp_path / "samples" / "index.html"
    systems = [
        {"name": "orig", "label": "Orig", "note": ""},
        {"name": "b1", "label": "B1", "note": "radius < 1 is guessed"},
    ]
    config = {"title": "A & B", "count": 2, "systems": systems}
    collect_samples.main(
        str(tmp_path / "dataset.tsv"), shards, str(page.parent / "audio"), str(page), config
    )
    text = page.read_text(encoding="utf-8")
    sources = Sources()
    sources.feed(text)
    assert len(sources.found) == 4
    for source in sources.found:
        system, name = source.split("/")[-2:]
        assert (page.parent / source).read_bytes() == f"{system} {name[:-4]}".encode()
    assert "A &amp; B" in text
    assert "radius &lt; 1 is guessed" in text
    assert "http" not in text
