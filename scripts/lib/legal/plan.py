"""What the legal evaluation of a study needs: its conditions, its files, how it is printed."""

from collections.abc import Callable, Mapping

from scripts.lib.configuration import ConfigurationError
from scripts.lib.legal.attackers import ATTACKERS
from scripts.lib.reference import REFERENCE_SYSTEM

PUBLISHED_CURVES = "<results>/metrics/published/legal.tsv"
Require = Callable[[str, str, str], None]
PARTS = ("singling_out", "linkability")
FIGURE, TABLE = "legal_figure_1", "legal_table_1"


def check_protocols(protocols: Mapping, require: Require) -> None:
    """Refuse protocols whose datasets no entry describes.

    Parameters
    ----------
    protocols
        Entries of config/legal.
    require
        Raises an error unless there is an entry: name, kind and who asks.
    """
    for name, entry in protocols.items():
        for dataset in (*entry["set_a"], *entry["set_b"]):
            require(dataset, "datasets", f"legal {name}")


class LegalPlan:
    """The legal evaluation of one study.

    Parameters
    ----------
    study, entry
        The study and its entry in config/studies.
    display
        Printed names.
    """

    def __init__(self, study: str, entry: Mapping, display: Mapping):
        if "legal" not in entry:
            raise ConfigurationError(f"study {study}: needs the key 'legal' for {FIGURE}")
        self.study, self.entry, self.legal = study, entry, entry["legal"]
        self._display = display
        self.published = entry["source"] == "published"

    def check(self, require: Require) -> None:
        """Refuse names that no entry has, and a study that lacks what curves are computed with."""
        if "asv" not in self.entry or "protocol" not in self.legal:
            raise ConfigurationError(
                f"study {self.study}: a legal evaluation needs the keys 'asv' and 'legal.protocol'"
            )
        require(self.legal["protocol"], "legal", f"study {self.study}, legal.protocol")
        for key in ("system", "similar"):
            require(self.legal[key], "systems", f"study {self.study}, legal.{key}")
        if len({REFERENCE_SYSTEM, self.legal["system"], self.legal["similar"]}) < 3:
            raise ConfigurationError(
                f"study {self.study}: legal.system and legal.similar are two systems, "
                f"neither of them {REFERENCE_SYSTEM}"
            )

    @property
    def conditions(self) -> list[dict[str, str]]:
        """Return attacker, training speech and attacked speech of each curve."""
        system, similar = self.legal["system"], self.legal["similar"]
        return [attacker.condition(system, similar) for attacker in ATTACKERS.values()]

    @property
    def targets(self) -> list[str]:
        """Return figure and table, unless they are made only when asked for by name."""
        if self.legal["only_by_name"]:
            return []
        folder = f"<results>/{self.study}"
        return [f"{folder}/figures/{FIGURE}.pdf", f"{folder}/tables/{TABLE}.tex"]

    def metric_files(self) -> list[str]:
        """Return the files with the rows of all curves."""
        if self.published:
            return [PUBLISHED_CURVES]
        return [
            f"<results>/metrics/legal/{self.legal['protocol']}/{self.entry['asv']}/"
            f"{condition['trained_on']}/{seed}/{condition['system']}/{part}.tsv"
            for condition in self.conditions
            for seed in self.entry["seeds"]
            for part in PARTS
        ]

    @property
    def report_config(self) -> dict:
        """Return what figure and table need to know."""
        config = {
            "title": self.legal.get("title", self.entry["title"]),
            "conditions": self.conditions,
            "similar": self.legal["similar"],
            "system": self.legal["system"],
            "table_speakers": dict(self.legal["table_speakers"]),
            "display": {"systems": self._display["systems"]},
        }
        if not self.published:
            config["asv"] = self.entry["asv"]
        return config
