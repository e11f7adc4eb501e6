"""Who says what in which part of the embedded corpus, drawn from its seed.

Everything is drawn by name, so neither the number of speakers nor the order in which utterances
are planned changes a voice, and only a repeated sentence is drawn again.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from scripts.lib.manifest import EMOTIONS
from scripts.lib.seeding import rng_for
from scripts.lib.synthesis.emotions import Prosody, express, typical, vary
from scripts.lib.synthesis.rendering import Conditions, Sentence
from scripts.lib.synthesis.sentences import draw_sentence
from scripts.lib.synthesis.voices import draw_speaker, narrowed, voice_file

GENDERS = ("f", "m")
TRAINING_PARTS = ("train", "chain", "pool")
# A grammar that cannot give every utterance its own sentence shows long before this.
ATTEMPTS = 100
SEEDS = 2**31


@dataclass(frozen=True)
class Slot:
    """The place of an utterance in the corpus.

    Parameters
    ----------
    name
        Identifier of the utterance.
    speaker, gender
        Identifier of the speaker, and `f` or `m`.
    part
        One of `TRAINING_PARTS`, `dev`, `test`, `emotion_dev`, `emotion_test`, `crowd_a` or
        `crowd_b`.
    enrolment
        Whether the utterance enrols its speaker.
    emotion
        Class, empty outside the emotion part.
    fold
        Number of the fold that leaves the speaker's session out, empty outside the emotion part.
    """

    name: str
    speaker: str
    gender: str
    part: str
    enrolment: bool = False
    emotion: str = ""
    fold: str = ""


@dataclass(frozen=True)
class Utterance:
    """An utterance that is ready to be spoken and recorded."""

    slot: Slot
    sentence: Sentence
    conditions: Conditions


def plan_corpus(config: Mapping) -> list[Utterance]:
    """Return all utterances of the corpus; no sentence occurs twice.

    Parameters
    ----------
    config
        An entry of config/synthetic.
    """
    _check_ranges(config)
    texts: set[str] = set()
    utterances = []
    for slot in slots(config):
        text = _new_sentence(config["seed"], slot.name, texts)
        texts.add(text)
        utterances.append(_plan_utterance(slot, text, config))
    return utterances


def slots(config: Mapping) -> Iterator[Slot]:
    """Yield the place of every utterance of the parts that a corpus has, speaker by speaker."""
    for gender in GENDERS:
        for part in TRAINING_PARTS:
            if part in config:
                for number in range(1, config[part]["speakers_per_gender"] + 1):
                    yield from _places(part, gender, number, config[part]["utterances"])
        for part in ("dev", "test"):
            if part in config:
                yield from _verification(part, gender, config[part])
        if "emotion" in config:
            for session in range(1, config["emotion"]["sessions"] + 1):
                yield from _session(session, gender, config["emotion"]["utterances_per_class"])
        if "crowd" in config:
            yield from _crowd(gender, config["crowd"])


def _verification(part: str, gender: str, counts: Mapping) -> Iterator[Slot]:
    enrolment, enrolled = counts["enrolment_utterances"], counts["enrolled_per_gender"]
    for number in range(1, enrolled + counts["impostors_per_gender"] + 1):
        places = _places(part, gender, number, enrolment + counts["trial_utterances"])
        for index, slot in enumerate(places):
            # Impostors are not enrolled: all they say is a trial.
            yield replace(slot, enrolment=number <= enrolled and index < enrolment)


def _session(session: int, gender: str, per_class: int) -> Iterator[Slot]:
    # As in the challenge, one speaker of the session left out is for development and the other
    # one for the test, and the genders take turns.
    part = "emotion_dev" if gender == GENDERS[(session - 1) % 2] else "emotion_test"
    emotions = [emotion for emotion in EMOTIONS for _ in range(per_class)]
    places = _places("emotion", gender, session, len(emotions))
    for slot, emotion in zip(places, emotions, strict=True):
        yield replace(slot, part=part, emotion=emotion, fold=str(session))


def _crowd(gender: str, counts: Mapping) -> Iterator[Slot]:
    first, second = counts["set_a_utterances"], counts["set_b_utterances"]
    for number in range(1, counts["speakers_per_gender"] + 1):
        for index, slot in enumerate(_places("crowd", gender, number, first + second)):
            yield replace(slot, part="crowd_a" if index < first else "crowd_b")


def _places(part: str, gender: str, number: int, count: int) -> Iterator[Slot]:
    speaker = f"{part}_{gender}{number:03d}"
    for index in range(1, count + 1):
        yield Slot(f"{speaker}-{index:03d}", speaker, gender, part)


def _check_ranges(config: Mapping) -> None:
    """Refuse a range given the wrong way round, which a schema cannot see."""
    ranges = {"recording": config["recording"]}
    ranges |= {f"voices.{gender}": config["voices"][gender] for gender in GENDERS}
    ranges["prosody"] = {"expressiveness": config["prosody"]["expressiveness"]}
    for section, entries in ranges.items():
        for key, (low, high) in entries.items():
            if low > high:
                raise ValueError(
                    f"{section}.{key}: [{low}, {high}] is no range; give the lower value first"
                )


def _new_sentence(seed: int, name: str, texts: set[str]) -> str:
    for attempt in range(ATTEMPTS):
        text = draw_sentence(rng_for(seed, "sentence", name, attempt))
        if text not in texts:
            return text
    raise ValueError(
        f"{name}: the grammar has no further sentence after {len(texts)}; "
        "plan fewer speakers or utterances"
    )


def _plan_utterance(slot: Slot, text: str, config: Mapping) -> Utterance:
    seed, recording = config["seed"], config["recording"]
    ranges = config["voices"][slot.gender]
    if slot.emotion:
        ranges = narrowed(ranges, config["emotion"]["voice_spread"])
    rng_speaker = rng_for(seed, "speaker", slot.speaker)
    speaker = draw_speaker(slot.speaker, slot.gender, config["accents"], ranges, rng_speaker)
    rng = rng_for(seed, "utterance", slot.name)
    drawn = {key: float(rng.uniform(*recording[key])) for key in sorted(recording)}
    level_dbfs = drawn["level_dbfs"]
    if slot.emotion:
        prosody = _prosody(slot, config)
        speaker = express(speaker, prosody)
        level_dbfs += prosody.level_db
    sentence = Sentence(
        text=text,
        voice=voice_file(speaker),
        accent=speaker.accent,
        rate_wpm=round(speaker.rate_wpm * drawn["rate_factor"]),
        seed=int(rng.integers(SEEDS)),
    )
    conditions = Conditions(level_dbfs, drawn["snr_db"], drawn["noise_pole"])
    return Utterance(slot, sentence, conditions)


def _prosody(slot: Slot, config: Mapping) -> Prosody:
    seed, settings = config["seed"], config["prosody"]
    factor = rng_for(seed, "expressiveness", slot.speaker).uniform(*settings["expressiveness"])
    style = vary(
        typical(settings["classes"][slot.emotion], float(factor)),
        settings["speaker_sd"],
        rng_for(seed, "style", slot.speaker, slot.emotion),
    )
    return vary(style, settings["utterance_sd"], rng_for(seed, "prosody", slot.name))
