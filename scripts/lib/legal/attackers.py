"""The four attackers of the legal framework, and what the challenges call them.

The same words mean other things there: what the framework calls informed is the semi-informed
attacker of VoicePrivacy, and its own semi-informed attacker has no name in VoicePrivacy.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from scripts.lib.reference import REFERENCE_SYSTEM

ORIGINAL, SIMILAR, SAME = "original", "similar", "same"


@dataclass(frozen=True)
class LegalAttacker:
    """An attacker of the legal framework, who holds both sets as the system renders them.

    Parameters
    ----------
    name, label
        Its name in paths and in print.
    challenge
        What VoicePrivacy calls it.
    model
        What its model is trained on: `original` speech, speech of a `similar` system, or of the
        `same` system.
    anonymized
        Whether it meets anonymized speech.
    """

    name: str
    label: str
    challenge: str
    model: str
    anonymized: bool = True

    def condition(self, system: str, similar: str) -> dict[str, str]:
        """Return whose speech the model was trained on and whose speech is attacked.

        Parameters
        ----------
        system
            The system under test.
        similar
            Another system, on whose speech the semi-informed attacker trains.

        Examples
        --------
        >>> ATTACKERS["semi_informed"].condition("b2_2024", "b2_2022")
        {'attacker': 'semi_informed', 'trained_on': 'b2_2022', 'system': 'b2_2024'}
        """
        trained_on = {ORIGINAL: REFERENCE_SYSTEM, SIMILAR: similar, SAME: system}[self.model]
        heard = system if self.anonymized else REFERENCE_SYSTEM
        return {"attacker": self.name, "trained_on": trained_on, "system": heard}


# From the weakest to the strongest, after unprotected speech.
ATTACKERS: Mapping[str, LegalAttacker] = {
    attacker.name: attacker
    for attacker in (
        LegalAttacker("original", "Original", "original", ORIGINAL, anonymized=False),
        LegalAttacker("ignorant", "Ignorant", "lazy-informed", ORIGINAL),
        LegalAttacker("semi_informed", "Semi-Informed", "none", SIMILAR),
        LegalAttacker("informed", "Informed", "semi-informed", SAME),
    )
}
