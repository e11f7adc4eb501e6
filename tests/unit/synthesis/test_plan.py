"""Who says what: counts, folds, sentences that differ, and draws that do not depend on counts."""

from collections import Counter
from pathlib import Path

import pytest

from scripts.lib.configuration import ConfigurationError, checked, load_yaml
from scripts.lib.synthesis import plan
from scripts.lib.synthesis.plan import plan_corpus, slots

CONFIG = Path(__file__).parents[3] / "config"
SCHEMA = load_yaml(CONFIG / "schemas/synthetic.schema.yaml")
PARTS = ("chain", "pool")
VERIFICATION = {
    "enrolled_per_gender": 2,
    "impostors_per_gender": 1,
    "enrolment_utterances": 2,
    "trial_utterances": 3,
}
ENTRY = {
    "seed": 7,
    "train": {"speakers_per_gender": 2, "utterances": 3},
    "dev": VERIFICATION,
    "test": VERIFICATION,
    "emotion": {"sessions": 5, "utterances_per_class": 2},
}


def entry(**changes):
    return checked({**ENTRY, **changes}, SCHEMA, "a test")


@pytest.fixture(scope="module")
def default():
    return checked(load_yaml(CONFIG / "synthetic/synth.yaml"), SCHEMA, "synth.yaml")


def test_the_embedded_corpus_has_the_promised_size(default):
    spoken = Counter((slot.part, slot.gender, slot.speaker) for slot in slots(default))
    speakers = Counter((part, gender) for part, gender, _ in spoken)
    verification = {key: n for key, n in spoken.items() if not key[0].startswith("emotion")}
    assert len(verification) >= 60
    assert all(25 <= n <= 30 for n in verification.values())
    assert speakers["train", "f"] + speakers["train", "m"] >= 36
    for part in ("dev", "test"):
        assert speakers[part, "f"] + speakers[part, "m"] >= 12
    emotional = {key: n for key, n in spoken.items() if key[0].startswith("emotion")}
    assert len(emotional) == 10
    assert set(emotional.values()) == {40}


def test_impostors_are_tried_but_not_enrolled():
    for part in ("dev", "test"):
        places = [slot for slot in slots(entry()) if slot.part == part]
        enrolled = {slot.speaker for slot in places if slot.enrolment}
        tried = {slot.speaker for slot in places if not slot.enrolment}
        assert len(enrolled) == 4
        assert enrolled < tried
        assert len(tried - enrolled) == 2
        for gender in "fm":
            assert any(slot.gender == gender for slot in places if slot.speaker not in enrolled)


def test_each_session_has_a_speaker_for_development_and_one_for_the_test():
    emotional = [slot for slot in slots(entry()) if slot.emotion]
    gender_of = {(slot.fold, slot.part): slot.gender for slot in emotional}
    dev = [gender_of[str(fold), "emotion_dev"] for fold in range(1, 6)]
    test = [gender_of[str(fold), "emotion_test"] for fold in range(1, 6)]
    assert dev == ["f", "m", "f", "m", "f"]
    assert test == ["m", "f", "m", "f", "m"]
    assert len({slot.speaker for slot in emotional}) == 10
    per_class = Counter((slot.speaker, slot.emotion) for slot in emotional)
    assert set(per_class.values()) == {2}
    assert {emotion for _, emotion in per_class} == {"neu", "sad", "ang", "hap"}


def test_a_crowd_says_other_things_in_set_a_than_in_set_b():
    crowd = {"speakers_per_gender": 3, "set_a_utterances": 4, "set_b_utterances": 2}
    places = list(slots(checked({"seed": 7, "crowd": crowd}, SCHEMA, "a test")))
    spoken = Counter((slot.part, slot.speaker) for slot in places)
    assert len({slot.name for slot in places}) == len(places) == 6 * (4 + 2)
    assert {number for (part, _), number in spoken.items() if part == "crowd_a"} == {4}
    assert {number for (part, _), number in spoken.items() if part == "crowd_b"} == {2}


def test_the_embedded_crowd_has_two_hundred_speakers():
    config = checked(load_yaml(CONFIG / "synthetic/synth_crowd.yaml"), SCHEMA, "synth_crowd.yaml")
    assert len({slot.speaker for slot in slots(config)}) >= 200


def test_chain_and_pool_share_neither_voices_nor_sentences_with_the_evaluators(default):
    config = checked(load_yaml(CONFIG / "synthetic/synth_chain.yaml"), SCHEMA, "synth_chain.yaml")
    chain, theirs = plan_corpus(config), plan_corpus(default)
    for quality in ("voice", "text"):
        assert not {getattr(u.sentence, quality) for u in chain} & {
            getattr(u.sentence, quality) for u in theirs
        }
    speakers = {part: {u.slot.speaker for u in chain if u.slot.part == part} for part in PARTS}
    assert not speakers["chain"] & speakers["pool"]


def test_the_pool_has_more_speakers_of_each_gender_than_o1_has_components():
    config = checked(load_yaml(CONFIG / "synthetic/synth_chain.yaml"), SCHEMA, "synth_chain.yaml")
    pool = {(slot.gender, slot.speaker) for slot in slots(config) if slot.part == "pool"}
    assert all(sum(gender == g for gender, _ in pool) > 2 * 20 for g in "fm")


def test_names_and_sentences_are_unique(default):
    planned = plan_corpus(default)
    assert len({utterance.slot.name for utterance in planned}) == len(planned)
    assert len({utterance.sentence.text for utterance in planned}) == len(planned)


def test_every_accent_of_the_trials_is_heard_in_training(default):
    accents = {
        part: {u.sentence.accent for u in plan_corpus(default) if u.slot.part == part}
        for part in ("train", "dev", "test")
    }
    assert accents["dev"] | accents["test"] <= accents["train"]


def test_more_speakers_leave_the_others_as_they_were():
    few = {u.slot.name: u for u in plan_corpus(entry())}
    more = {
        u.slot.name: u
        for u in plan_corpus(entry(train={"speakers_per_gender": 3, "utterances": 4}))
    }
    assert few.items() <= more.items()


def test_a_speaker_keeps_the_voice_and_changes_the_rest():
    mine = [u for u in plan_corpus(entry()) if u.slot.speaker == "train_f001"]
    assert len({u.sentence.voice for u in mine}) == 1
    assert len({u.sentence.accent for u in mine}) == 1
    assert len({u.conditions for u in mine}) == len(mine)
    assert len({u.sentence.seed for u in mine}) == len(mine)


def test_another_seed_is_another_corpus():
    one, two = plan_corpus(entry(seed=1)), plan_corpus(entry(seed=2))
    assert not {u.sentence.voice for u in one} & {u.sentence.voice for u in two}


def test_classes_differ_by_the_typical_change_when_nothing_varies():
    default = entry()
    nothing = dict.fromkeys(default["prosody"]["speaker_sd"], 0)
    prosody = {
        **default["prosody"],
        "expressiveness": [1, 1],
        "speaker_sd": nothing,
        "utterance_sd": nothing,
    }
    recording = {**default["recording"], "level_dbfs": [-30, -30]}
    for utterance in plan_corpus(entry(prosody=prosody, recording=recording)):
        emotion = utterance.slot.emotion
        change = default["prosody"]["classes"][emotion]["level_db"] if emotion else 0
        assert utterance.conditions.level_dbfs == pytest.approx(-30 + change)


def test_emotional_speakers_can_be_given_one_voice():
    counts = {"sessions": 3, "utterances_per_class": 1, "voice_spread": 0}
    default = entry(emotion=counts)
    nothing = dict.fromkeys(default["prosody"]["speaker_sd"], 0)
    prosody = {**default["prosody"], "speaker_sd": nothing, "utterance_sd": nothing}
    neutral = [
        u for u in plan_corpus(entry(emotion=counts, prosody=prosody)) if u.slot.emotion == "neu"
    ]
    voices = {u.sentence.voice.replace(u.slot.speaker, "") for u in neutral}
    assert len(neutral) == 6
    assert len(voices) == len({"f", "m"})


def test_a_range_the_wrong_way_round_is_named():
    with pytest.raises(ValueError, match=r"voices\.m\.pitch_hz: \[150, 85\]"):
        plan_corpus(entry(voices={"m": {"pitch_hz": [150, 85]}}))


def test_a_grammar_that_runs_out_is_named(monkeypatch):
    monkeypatch.setattr(plan, "draw_sentence", lambda rng: "the same again")
    with pytest.raises(ValueError, match="train_f001-002: the grammar has no further sentence"):
        plan_corpus(entry())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"voices": {"f": {"pich_hz": [1, 2]}}}, "voices.f: unknown key 'pich_hz'"),
        ({"voices": {"f": {"pitch_hz": [1, 2, 3]}}}, "voices.f.pitch_hz"),
        ({"recording": {"noise_pole": [0.5, 1]}}, "recording.noise_pole.1: 1 is greater"),
        ({"train": {"speakers_per_gender": 2}}, "train: lacks the key 'utterances'"),
        ({"dev": {**VERIFICATION, "impostors_per_gender": 0}}, "dev.impostors_per_gender"),
        ({"emotion": {"sessions": 1, "utterances_per_class": 1}}, "emotion.sessions"),
        ({"seed": "7"}, "seed: expected integer"),
        ({"crowd": {"speakers_per_gender": 2}}, "crowd: lacks the key 'set_a_utterances'"),
    ],
)
def test_the_schema_refuses(change, message):
    with pytest.raises(ConfigurationError, match=message):
        entry(**change)
