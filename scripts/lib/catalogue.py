"""All configuration entries by kind, checked against each other, and what a study needs of them."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from scripts.lib.configuration import ConfigurationError, checked, load_entries, load_yaml
from scripts.lib.reference import MODEL_OF_METRIC, REFERENCE_ATTACKER, REFERENCE_SYSTEM

KINDS = (
    "synthetic",
    "datasets",
    "systems",
    "attackers",
    "asv",
    "asr",
    "lm",
    "ser",
    "tables",
    "figures",
    "studies",
)


class Catalogue:
    """Entries of every kind by name.

    Parameters
    ----------
    folder
        The folder `config/` of the repository.
    config
        The main configuration; it may hold further entries under a kind's name.
    """

    def __init__(self, folder: str | Path, config: Mapping):
        folder = Path(folder)
        schemas = {
            file.name.removesuffix(".schema.yaml"): load_yaml(file)
            for file in (folder / "schemas").glob("*.schema.yaml")
        }
        config = checked(config, schemas["config"], "config")
        self._entries = {
            kind: load_entries(folder / kind, schemas[kind], config[kind]) for kind in KINDS
        }
        display = folder / "display.yaml"
        self._display = checked(load_yaml(display), schemas["display"], str(display))
        # `checked` sorts keys, but here their order is the printed order.
        self._order = list(load_yaml(display)["systems"])
        self._require(config["study"], "studies", "config, study")
        self._check_references()

    def __getitem__(self, kind: str) -> dict:
        return self._entries[kind]

    def pattern(self, kind: str) -> str:
        """Return a regular expression that matches the names of one kind and nothing else."""
        # An expression that matches nothing keeps rules of an unused kind out of the way.
        return "|".join(map(re.escape, self._entries[kind])) or r"(?!)"

    def genders(self, dataset: str) -> list[str]:
        """Return the genders that a dataset has trials for."""
        return [g for g in "fm" if f"trials_{g}" in self["datasets"][dataset]["subsets"]]

    def targets(self, study: str) -> list[str]:
        """Return every table and figure of a study."""
        entry = self["studies"][study]
        tables = [f"<results>/{study}/tables/{name}.tex" for name in entry["tables"]]
        return tables + [f"<results>/{study}/figures/{name}.pdf" for name in entry["figures"]]

    def table_inputs(self, study: str, table: str) -> list[str]:
        """Return the metric files that fill a table."""
        form = self["tables"][table]
        return self._metric_files(study, form["datasets"], form["blocks"])

    def figure_inputs(self, study: str, figure: str) -> list[str]:
        """Return the metric files that fill a figure."""
        form = self["figures"][figure]
        attackers = self["studies"][study]["attackers"]
        blocks = [{"metric": form["metric"], "attacker": attacker} for attacker in attackers]
        return self._metric_files(study, form["datasets"], blocks)

    def report_config(self, study: str, kind: str, name: str) -> dict:
        """Return a table's or figure's form, the study's choices, and how to print them."""
        entry = self["studies"][study]
        listed = set(entry["systems"])
        known = [system for system in self._order if system in listed]
        return {
            "form": self[kind][name],
            "name": name,
            "study": {
                "title": entry["title"],
                "systems": known + [s for s in entry["systems"] if s not in known],
                "attackers": entry["attackers"],
                "datasets": {
                    role: [
                        {"name": dataset, "genders": self.genders(dataset)} for dataset in datasets
                    ]
                    for role, datasets in entry["datasets"].items()
                },
            },
            "display": self._display,
        }

    def _metric_files(self, study: str, roles: Iterable[str], blocks: Iterable[dict]) -> list[str]:
        entry = self["studies"][study]
        datasets = [name for role in roles for name in entry["datasets"][role]]
        files = (
            file
            for block in blocks
            for dataset in datasets
            for system in entry["systems"]
            for file in self._files_of_cell(study, block, system, dataset)
        )
        return list(dict.fromkeys(files))

    def _files_of_cell(self, study: str, block: dict, system: str, dataset: str) -> list[str]:
        entry = self["studies"][study]
        metric = block["metric"]
        kind = MODEL_OF_METRIC.get(metric, "asv")
        if kind not in entry:
            raise ConfigurationError(f"study {study}: the metric {metric} needs the key {kind!r}")
        model = entry[kind]
        if metric == "wer":
            path = f"{model}/{REFERENCE_SYSTEM}/{entry['seeds'][0]}/{entry['lm']}"
            return [f"<results>/metrics/wer/{path}/{system}/{dataset}.tsv"]
        if metric == "uar":
            path = f"{model}/{REFERENCE_SYSTEM}/{entry['seeds'][0]}"
            return [f"<results>/metrics/uar/{path}/{system}/{dataset}.tsv"]
        attacker = REFERENCE_ATTACKER if system == REFERENCE_SYSTEM else block["attacker"]
        return [
            f"<results>/metrics/privacy/{model}/{attacker}/{seed}/{system}/{dataset}.tsv"
            for seed in entry["seeds"]
        ]

    def _check_references(self) -> None:
        for name in (REFERENCE_SYSTEM,):
            self._require(name, "systems", "the reference")
        for name, entry in self["datasets"].items():
            if "corpus" in entry:
                self._require(entry["corpus"], "synthetic", f"dataset {name}, corpus")
        for kind in ("asv", "asr", "lm"):
            for name, entry in self[kind].items():
                for dataset in entry["training_data"]:
                    self._require(dataset, "datasets", f"{kind} {name}, training_data")
        for name, entry in self["studies"].items():
            origin = f"study {name}"
            for kind in ("systems", "attackers", "tables", "figures"):
                for item in entry[kind]:
                    self._require(item, kind, f"{origin}, {kind}")
            for kind in ("asv", "asr", "lm", "ser"):
                if kind in entry:
                    self._require(entry[kind], kind, f"{origin}, {kind}")
            for role, datasets in entry["datasets"].items():
                for dataset in datasets:
                    self._require(dataset, "datasets", f"{origin}, datasets.{role}")
            for table in entry["tables"]:
                self.table_inputs(name, table)
            for figure in entry["figures"]:
                self.figure_inputs(name, figure)

    def _require(self, name: str, kind: str, origin: str) -> None:
        if name not in self[kind]:
            known = ", ".join(sorted(self[kind])) or "none"
            raise ConfigurationError(f"{origin}: no {kind} entry {name!r}; known: {known}")
