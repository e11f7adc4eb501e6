import pytest

from scripts.decode_speech import main
from scripts.lib.language_model import estimate, write_arpa
from scripts.lib.manifest import read_table
from scripts.lib.models.ctc import Training
from scripts.lib.models.training import fit, save_state
from scripts.lib.transcripts import COLUMNS
from tests.unit.models.spelled_tones import record, settings

TEXTS = ["AB C", "CA BB", "B AC"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("asr")
    training = Training(record(folder, TEXTS), settings(epochs=40), seed=5, threads=1)
    fit(training, epochs=40, seed=5, checkpoint=folder / "checkpoint.pt", fingerprint="x")
    save_state(folder / "model.pt", training.model())
    write_arpa(folder / "lm.arpa", estimate([text.split() for text in TEXTS], order=2))
    return folder


def decode(trained, manifests, out, **decoding) -> list[dict]:
    config = settings(epochs=40)
    config["decoding"].update(decoding)
    main(
        model=str(trained / "model.pt"),
        arpa=str(trained / "lm.arpa"),
        manifests=[str(manifest) for manifest in manifests],
        transcripts=str(out),
        config=config,
        threads=1,
    )
    return read_table(out).to_dict("records")


def test_transcribes_the_trials_and_nothing_else(trained, tmp_path):
    record(tmp_path / "trials", TEXTS, subset="trials_f")
    others = record(tmp_path / "enrol", ["AB C"], subset="enrol")
    others.assign(utterance="e1", text="").to_csv(
        tmp_path / "enrol" / "000.tsv", sep="\t", index=False
    )
    manifests = [tmp_path / part / "000.tsv" for part in ("trials", "enrol")]
    rows = decode(trained, manifests, tmp_path / "t.tsv")
    assert list(rows[0]) == COLUMNS
    assert [row["utterance"] for row in rows] == ["s1-1", "s2-0", "s2-2"]
    assert all(row["hypothesis"] == row["reference"] for row in rows)


def test_an_utterance_is_transcribed_the_same_in_any_company(trained, tmp_path):
    table = record(tmp_path / "trials", TEXTS, subset="trials_m")
    together = decode(trained, [tmp_path / "trials" / "000.tsv"], tmp_path / "t.tsv")
    for expected, (place, _) in zip(together, table.iterrows(), strict=True):
        table.loc[[place]].to_csv(tmp_path / "one.tsv", sep="\t", index=False)
        assert decode(trained, [tmp_path / "one.tsv"], tmp_path / "t.tsv") == [expected]


def test_every_pair_of_settings_is_tried(trained, tmp_path):
    record(tmp_path, TEXTS, subset="trials_f")
    rows = decode(
        trained,
        [tmp_path / "000.tsv"],
        tmp_path / "t.tsv",
        lm_weights=[0.5, 1.0],
        insertion_penalties=[0.0, 100.0],
    )
    tried = {(row["lm_weight"], row["insertion_penalty"]) for row in rows}
    assert tried == {("0.5", "0.0"), ("0.5", "100.0"), ("1.0", "0.0"), ("1.0", "100.0")}
    assert len(rows) == 12
    # No acoustic evidence outweighs a cost of 100 per word.
    dear = [row["hypothesis"] for row in rows if row["insertion_penalty"] == "100.0"]
    assert set(dear) == {""}


def test_a_part_without_trials_gives_an_empty_table(trained, tmp_path):
    record(tmp_path, TEXTS, subset="enrol")
    assert decode(trained, [tmp_path / "000.tsv"], tmp_path / "t.tsv") == []
    assert (tmp_path / "t.tsv").read_text() == "\t".join(COLUMNS) + "\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"text": ""}, r"utterances s1-1, s2-0, s2-2 without text"),
        ({"text": "ab"}, "utterance s1-1 has 'ab' in its text"),
    ],
)
def test_bad_input_is_named_and_nothing_written(trained, tmp_path, change, message):
    table = record(tmp_path, TEXTS, subset="trials_f").assign(**change)
    table.to_csv(tmp_path / "000.tsv", sep="\t", index=False)
    with pytest.raises(ValueError, match=message):
        decode(trained, [tmp_path / "000.tsv"], tmp_path / "t.tsv")
    assert not (tmp_path / "t.tsv").exists()
