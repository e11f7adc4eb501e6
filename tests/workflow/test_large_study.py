"""The 2020 study at its real size, without audio: what would run, and what planning it costs."""

import json
from collections import Counter

from tests.vpc2020_lists import study_config, write_lists

SYSTEMS = ["orig", "b1", "b2"]


def test_the_2020_study_plans_every_job_once(checkout):
    write_lists(checkout.folder / "corpora")
    config = study_config(checkout.folder / "corpora", SYSTEMS)
    (checkout.folder / "vpc2020.json").write_text(json.dumps(config))
    jobs = checkout.planned("--configfile", "vpc2020.json", "--", "vpc2020")
    count = Counter(job["rule"] for job in jobs)
    # Training data in 40 shards; six datasets, of which the two large ones in 2. The chain behind
    # B1 is trained on 30 + 20 shards of LibriSpeech and LibriTTS and 100 of VoxCeleb, and its
    # voices come from 40 of LibriTTS.
    of_system = 40 + 6 + 2
    assert count["anonymize_shard"] == 2 * of_system + 30 + 20 + 100 + 40
    assert count["synthesize_shard"] == count["track_pitch"] - 20 == of_system
    assert count["choose_voices"] == 1 + 6
    assert (count["train_content"], count["train_acoustic"], count["train_vocoder"]) == (1, 1, 1)
    # One attacker per system, and the chain's own vectors.
    assert count["train_asv"] == 3 + 1
    # Models of original speech hear three systems, the others their own; figure 12 compares
    # original and anonymized speech of one dataset by both other models. The chain's model hears
    # 20 parts of VoxCeleb, its pool, what it learns to speak from, and what B1 anonymizes.
    assert count["embed_utterances"] == (3 + 2) * 6 + 2 + 20 + 1 + 1 + 7
    # O-O, and three attackers on two systems in the twelve conditions.
    assert count["score_trials"] == (1 + 3 * 2) * 12
    assert count["compute_privacy"] == (1 + 3 * 2) * 6
    assert count["decode_speech"] == count["compute_wer"] == 3 * 6
    assert (count["make_table"], count["make_figure"]) == (15, 23)
