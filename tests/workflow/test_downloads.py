"""A dataset is downloaded and prepared unless the `corpora` folder holds it."""

import pandas as pd
import pytest
import yaml

from scripts.lib.manifest import read_manifests
from scripts.lib.provenance import file_digest
from tests.unit.corpora.repositories import COMMIT, digit_files, make_archive
from tests.workflow.checkout import Checkout

TARGET = "results/data/tiny_digits/manifest.tsv"


@pytest.fixture
def checkout(tmp_path):
    """The workflow with a dataset whose corpus lies in a made-up archive on this machine."""
    archive = make_archive(tmp_path / "d.zip", digit_files({"01": "male", "02": "female"}, 1))
    copy = Checkout(tmp_path / "copy")
    facts = {"gender": ["m", "f"], "part": "train", "gain_db": 0.0, "sample_step": 1}
    names = {"utterance": ["am01-d00", "am02-d00"], "speaker": ["am01", "am02"]}
    strings = {"recordings": ["1_01_0 2_01_0 3_01_0", "4_02_0 5_02_0 6_02_0"]}
    table = pd.DataFrame(names | facts | strings)
    table.to_csv(copy.folder / "config/downloads/tiny.tsv", sep="\t", index=False)
    entry = {
        "url": archive.as_uri(),
        "commit": COMMIT,
        "sha256": file_digest(archive),
        "preparation": "digits60",
        "facts": "tiny.tsv",
    }
    dataset = {"download": "tiny", "subsets": {"train": "digits60/digits60_train"}}
    copy.config = {
        "study": "demo",
        "corpora": "prepared",
        "downloads": {"tiny": entry},
        "datasets": {"tiny_digits": dataset},
    }
    return copy


def run(checkout, method="run", **arguments):
    (checkout.folder / "mine.yaml").write_text(yaml.safe_dump(checkout.config))
    return getattr(checkout, method)(TARGET, "--configfile", "mine.yaml", **arguments)


def test_a_dataset_is_downloaded_once_and_not_where_a_copy_is_given(checkout):
    run(checkout)
    table = read_manifests([checkout.folder / TARGET])
    assert table["text"].tolist() == ["ONE TWO THREE", "FOUR FIVE SIX"]
    record = yaml.safe_load((checkout.folder / "results/downloads/tiny.yaml").read_text())
    assert record["sha256"] == checkout.config["downloads"]["tiny"]["sha256"]
    assert (checkout.folder / "results/corpora/tiny/data/digits60/LICENSE").is_file()
    (checkout.folder / "results/downloads/tiny.zip").unlink()
    assert run(checkout, "planned") == []
    # What was prepared here serves as a prepared copy.
    (checkout.folder / "results/corpora/tiny/data").rename(checkout.folder / "prepared")
    assert [job["rule"] for job in run(checkout, "planned")] == ["prepare_manifest"]


def test_a_wrong_checksum_stops_the_run(checkout):
    checkout.config["downloads"]["tiny"]["sha256"] = "0" * 64
    done = run(checkout, check=False)
    assert done.returncode != 0
    assert "expected 0000" in done.stdout + done.stderr
    assert not (checkout.folder / "results/downloads/tiny.zip").exists()
