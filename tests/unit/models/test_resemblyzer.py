import numpy as np
import pytest

from scripts.lib.audio import RATE_HZ
from tests.factories import make_tone

pytest.importorskip("resemblyzer", reason="envs/pretrained.lock.txt is not installed")


def test_embeddings_have_length_one_and_repeat():
    from scripts.lib.models.resemblyzer import Embedder

    embedder = Embedder()
    low, high = (make_tone(2.0, hz) for hz in (110, 220))
    vectors = [embedder.embed(samples) for samples in (low, low, high)]
    assert vectors[0].shape == (256,)
    assert np.linalg.norm(vectors[0]) == pytest.approx(1.0, abs=1e-5)
    assert np.array_equal(vectors[0], vectors[1])
    assert vectors[0] @ vectors[2] < 0.99
    with pytest.raises(ValueError, match="nothing but zeros"):
        embedder.embed(np.zeros(RATE_HZ, dtype=np.float32))
