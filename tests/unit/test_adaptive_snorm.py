import numpy as np
import pytest

from scripts import average_speakers
from scripts.lib.embeddings import load_embeddings, save_embeddings
from scripts.lib.manifest import read_manifests
from scripts.lib.scoring import load_scorer
from tests.factories import make_audio_manifest

SETTINGS = {"method": "adaptive_snorm", "unit_enrolment": True, "top": 2}


def on_circle(*degrees):
    angles = np.deg2rad(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


@pytest.fixture
def cohort(tmp_path):
    vectors = dict(zip("abc", 3.0 * on_circle(60, 90, 180), strict=True))
    save_embeddings(tmp_path / "cohort.npz", vectors)
    return [str(tmp_path / "cohort.npz")]


def test_scores_count_in_deviations_from_the_nearest_speakers(cohort):
    scorer = load_scorer(SETTINGS, cohort)
    enrolled = scorer.enrol([on_circle(0)])
    found = scorer.score(enrolled, scorer.probe(5.0 * on_circle(30)))
    # Cosines with 60, 90 and 180 degrees: of 0 they are 1/2, 0, -1; of 30, sqrt(3)/2, 1/2, less.
    cosine, high = np.sqrt(0.75), np.sqrt(0.75)
    by_speaker = (cosine - 0.25) / 0.25
    by_probe = (cosine - (high + 0.5) / 2) / ((high - 0.5) / 2)
    assert found == pytest.approx(np.array([[0.5 * (by_speaker + by_probe)]]))


def test_a_voice_like_many_others_loses_its_lead(tmp_path):
    crowd = dict(zip("abcd", on_circle(0, 4, -4, 90), strict=True))
    save_embeddings(tmp_path / "crowd.npz", crowd)
    scorer = load_scorer(SETTINGS, [str(tmp_path / "crowd.npz")])
    # The same distance of ten degrees, once within the crowd and once far from it.
    enrolled = scorer.enrol([on_circle(0), on_circle(200)])
    common, rare = np.diag(scorer.score(enrolled, scorer.probe(on_circle(10, 210))))
    assert rare > common


def test_enrolment_of_length_one_gives_every_utterance_the_same_weight(cohort):
    loud = np.array([[10.0, 0.0], [0.0, 1.0]])
    equal = load_scorer({"method": "cosine", "unit_enrolment": True}, []).enrol([loud])
    raw = load_scorer({"method": "cosine", "unit_enrolment": False}, []).enrol([loud])
    np.testing.assert_allclose(equal, on_circle(45))
    np.testing.assert_allclose(raw, [[10.0, 1.0]] / np.sqrt(101.0))


def test_a_cohort_needs_two_speakers(tmp_path):
    save_embeddings(tmp_path / "one.npz", {"a": np.ones(2)})
    with pytest.raises(ValueError, match="a cohort needs at least two speakers"):
        load_scorer(SETTINGS, [str(tmp_path / "one.npz")])


def test_a_speaker_of_the_cohort_is_the_mean_of_unit_vectors(tmp_path):
    manifest = make_audio_manifest(tmp_path)
    utterances = read_manifests([manifest])
    vectors = {
        row.utterance: (number + 1) * on_circle(0 if row.speaker == "f1" else 90 * (number % 2))[0]
        for number, row in enumerate(utterances.itertuples())
    }
    save_embeddings(tmp_path / "e.npz", vectors)
    output = tmp_path / "speakers.npz"
    average_speakers.main([str(tmp_path / "e.npz")], [str(manifest)], str(output))
    means = load_embeddings([output])
    np.testing.assert_allclose(means["f1"], [1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(means["m1"], [0.5, 0.5], atol=1e-12)
