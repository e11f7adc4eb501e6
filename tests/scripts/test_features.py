"""Content and pitch of a shard, from audio manifest to file."""

import numpy as np
import pytest

from scripts.extract_content import main as extract_content
from scripts.lib.audio import read_audio
from scripts.lib.extraction import extract_features
from scripts.lib.feature_store import read_features
from scripts.lib.frames import frame_count
from scripts.lib.manifest import read_manifests
from scripts.track_pitch import main as track_pitch
from tests.factories import make_audio_manifest

PITCH = {"backend": "nccf", "low_hz": 60, "high_hz": 500}


def test_all_features_of_an_utterance_have_the_same_frames(tmp_path):
    manifest = make_audio_manifest(tmp_path)
    content, pitch = tmp_path / "content.npz", tmp_path / "pitch.npz"
    extract_content([], [manifest], content, {"backend": "fbank"}, threads=1)
    track_pitch([manifest], pitch, PITCH)
    content, pitch = read_features(content), read_features(pitch)
    rows = read_manifests([manifest])
    assert set(content) == set(pitch) == set(rows["utterance"])
    for row in rows.itertuples():
        frames = frame_count(read_audio(row.path))
        assert content[row.utterance].shape == (frames, 80)
        assert pitch[row.utterance].shape == (frames,)
        assert np.median(pitch[row.utterance]) > 80


def test_another_number_of_frames_is_an_error_that_names_the_utterance(tmp_path):
    manifest = make_audio_manifest(tmp_path)
    first = read_manifests([manifest])["utterance"][0]
    with pytest.raises(ValueError, match=f"utterance {first}, .*: 3 rows of features for"):
        extract_features([manifest], tmp_path / "x.npz", lambda samples: np.zeros(3))
    assert not (tmp_path / "x.npz").exists()
