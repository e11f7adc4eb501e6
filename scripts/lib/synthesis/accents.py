"""With which accent the speakers of an embedded corpus speak."""

from collections.abc import Mapping

from scripts.lib.seeding import rng_for
from scripts.lib.synthesis.plan import slots
from scripts.lib.synthesis.voices import draw_speaker


def speaker_accents(config: Mapping) -> dict[str, str]:
    """Return the accent of every speaker, as the plan of the corpus draws it.

    Parameters
    ----------
    config
        An entry of config/synthetic.
    """
    genders = {slot.speaker: slot.gender for slot in slots(config)}
    return {
        name: draw_speaker(
            name,
            gender,
            config["accents"],
            config["voices"][gender],
            rng_for(config["seed"], "speaker", name),
        ).accent
        for name, gender in genders.items()
    }
