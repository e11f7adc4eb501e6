"""A legal evaluation of a small crowd, from synthesis to figure and table."""

import pytest
import yaml

from scripts.lib.manifest import read_table

pytestmark = pytest.mark.slow
EXTRA = {
    "study": "small",
    "synthetic": {
        "small_crowd": {
            "seed": 1,
            "keep_audio": False,
            "crowd": {"speakers_per_gender": 4, "set_a_utterances": 4, "set_b_utterances": 2},
        }
    },
    "datasets": {
        "small_crowd": {
            "corpus": "small_crowd",
            "subsets": {"set_a": "synth_crowd_a", "set_b": "synth_crowd_b"},
            "keep_audio": False,
        }
    },
    "legal": {
        "small": {
            "set_a": {"small_crowd": ["set_a"]},
            "set_b": {"small_crowd": ["set_b"]},
            "lengths": [1, 2],
            "singling_out": {"enrolment_utterances": 2, "folds": 2, "speakers": [4]},
            "linkability": {"speakers": [4]},
            "eer": {"speakers": [4]},
        }
    },
    "studies": {
        "small": {
            "title": "Small crowd",
            "datasets": {},
            "systems": ["orig", "b2", "b2_2024"],
            "asv": "tiny_ecapa",
            "legal": {
                "protocol": "small",
                "system": "b2_2024",
                "similar": "b2",
                "table_speakers": {
                    key: [4, 8] for key in ["singling_out", "linkability", "one_minus_eer"]
                },
            },
        }
    },
}


def test_only_embeddings_of_the_crowd_stay(checkout):
    (checkout.folder / "small.yaml").write_text(yaml.safe_dump(EXTRA))
    study = ("--configfile", "tiny.yaml", "small.yaml")
    checkout.run(*study)
    results = checkout.folder / "results"
    assert (results / "small/figures/legal_figure_1.pdf").stat().st_size > 0
    cells = read_table(results / "small/tables/legal_table_1.tsv")
    # Three metrics, two lengths, two sizes, four attackers.
    assert len(cells) == 3 * 2 * 2 * 4
    # The exact estimator goes through logarithms, which leave a rounding error beside one.
    assert cells["value"].astype(float).between(-1e-9, 1 + 1e-9).all()
    assert not list(results.glob("corpora/small_crowd/data"))
    assert not list(results.glob("audio/*/small_crowd/*/*"))
    assert list(results.glob("embeddings/**/small_crowd/*.npz"))
    # What was removed is not made again.
    assert checkout.planned(*study) == []
