"""All configuration entries by kind, checked against each other, and what a study needs of them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from scripts.lib.chains import check_chains, check_kits
from scripts.lib.configuration import ConfigurationError, checked, load_entries, load_yaml
from scripts.lib.contenders import contest_files
from scripts.lib.dataset_checks import check_datasets
from scripts.lib.legal.plan import LegalPlan, check_protocols
from scripts.lib.probed import check_probes
from scripts.lib.reference import FILES_OF_FORM, REFERENCE_SYSTEM, SIMILARITY_METRICS
from scripts.lib.study_plan import GIVEN, StudyPlan, published_files
from scripts.lib.wer_plan import check_language_models, pool_members

GIVEN_METHOD = "scores"
KINDS = (
    "synthetic",
    "common_voice",
    "downloads",
    "datasets",
    "systems",
    "attackers",
    "asv",
    "asr",
    "lm",
    "ser",
    "content",
    "pitch",
    "acoustic",
    "vocoder",
    "autoencoder",
    "legal",
    "kits",
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
        self.pools = pool_members(self["studies"], self["datasets"])

    def __getitem__(self, kind: str) -> dict:
        return self._entries[kind]

    def pattern(self, kind: str, wanted: Callable[[Mapping], bool] = bool) -> str:
        """Return a regular expression that matches the names of one kind and nothing else.

        Parameters
        ----------
        kind
            Of the entries whose names match.
        wanted
            Which of them, by their content; all without it.
        """
        names = [name for name, entry in self._entries[kind].items() if wanted(entry)]
        # An expression that matches nothing keeps rules of an unused kind out of the way.
        return "|".join(map(re.escape, names)) or r"(?!)"

    def plan(self, study: str) -> StudyPlan:
        """Return what a study needs."""
        given = {name for name, entry in self["systems"].items() if entry["method"] == GIVEN_METHOD}
        entry = self["studies"][study]
        return StudyPlan(study, entry, self["datasets"], self._order, given)

    @property
    def scorers(self) -> str:
        """Return a regular expression for what scores come from: a model, or the submitter."""
        return "|".join([self.pattern("asv"), GIVEN])

    def genders(self, dataset: str) -> list[str]:
        """Return the genders that a dataset has trials for."""
        return [g for g in "fm" if f"trials_{g}" in self["datasets"][dataset]["subsets"]]

    def targets(self, study: str) -> list[str]:
        """Return every table and figure of a study."""
        entry = self["studies"][study]
        tables = [f"<results>/{study}/tables/{name}.tex" for name in entry["tables"]]
        figures = [f"<results>/{study}/figures/{name}.pdf" for name in entry["figures"]]
        card = [f"<results>/{study}/attackers.md"] if self.card_inputs(study)[0] else []
        contest = [f"<results>/{study}/tables/table_strongest.md"] if entry["contenders"] else []
        legal = self.legal_plan(study).targets if "legal" in entry else []
        checks = [f"<results>/{study}/checks/{name}.md" for name in entry["checks"]]
        samples = [f"<results>/{study}/samples/index.html"] if entry["samples"] else []
        return tables + figures + legal + card + contest + checks + samples

    def contest_inputs(self, study: str) -> list[str]:
        """Return the metric files of all models and attackers of a study."""
        if not self["studies"][study]["contenders"]:
            raise ConfigurationError(f"study {study}: table_strongest needs the key 'contenders'")
        return contest_files(self.plan(study), self["asv"], self._trainings)

    def contest_config(self, study: str) -> dict:
        """Return what the table of the strongest attackers is printed with."""
        return {"title": self["studies"][study]["title"], "display": self._display}

    def legal_plan(self, study: str) -> LegalPlan:
        """Return what the legal evaluation of a study needs."""
        return LegalPlan(study, self["studies"][study], self._display)

    def table_inputs(self, study: str, table: str) -> list[str]:
        """Return the metric files that fill a table."""
        form, plan = self["tables"][table], self.plan(study)
        if not plan.shown(form["blocks"]):
            raise ConfigurationError(f"study {study}: no system has what {table} shows")
        return plan.metric_files(form, form["blocks"])

    def table_evidence(self, study: str, table: str) -> list[str]:
        """Return further metric files that show how strong a table's attackers are."""
        form = self["tables"][table]
        return self.plan(study).evidence_files(form, form["blocks"])

    def table_curves(self, study: str, table: str) -> list[tuple[str, dict]]:
        """Return the loss curves of a table's attackers, and which model each is of."""
        return self.curves(study, self["tables"][table]["blocks"])

    def curves(self, study: str, cells: Sequence[Mapping]) -> list[tuple[str, dict]]:
        """Return the loss curves of the attackers of some cells, and which model each is of."""
        return self.plan(study).curves(cells, self._trainings)

    def card_inputs(self, study: str) -> tuple[list[str], list[tuple[str, dict]]]:
        """Return metric files and loss curves of all attackers in a study's tables."""
        metrics, curves = {}, {}
        for table in self["studies"][study]["tables"]:
            metrics |= dict.fromkeys(self.table_evidence(study, table))
            curves |= dict(self.table_curves(study, table))
        return list(metrics), list(curves.items())

    def card_config(self, study: str) -> dict:
        """Return what the report card of a study's attackers needs to know."""
        return {
            "title": self["studies"][study]["title"],
            "attackers": self._attackers_of(study),
            "curves": [ids for _, ids in self.card_inputs(study)[1]],
            "display": self._display,
        }

    @property
    def _trainings(self) -> dict[str, str]:
        return {name: entry["asv_training"] for name, entry in self["attackers"].items()}

    def _attackers_of(self, study: str) -> list[dict]:
        """Return a study's attackers from the weakest to the strongest, in a list to keep order."""
        names = self["studies"][study]["attackers"]
        return [{"name": name, "asv_training": self._trainings[name]} for name in names]

    def figure_inputs(self, study: str, figure: str) -> list[str]:
        """Return the files that a figure is drawn from."""
        form, plan = self["figures"][figure], self.plan(study)
        if form["form"] in FILES_OF_FORM:
            return [path for path, _ in plan.drawn_files(form)]
        return plan.metric_files(form, _cells_of(form, plan))

    def report_config(self, study: str, kind: str, name: str) -> dict:
        """Return a table's or figure's form, the study's choices, and how to print them."""
        entry, form, plan = self["studies"][study], self[kind][name], self.plan(study)
        cells = form["blocks"] if kind == "tables" else _cells_of(form, plan)
        # The panels of a scatter plot show different systems: each those it has values of.
        panels = form.get("panels", [])
        shown = plan.shown([] if panels else cells, form["systems"])
        config = {
            "form": form,
            "name": name,
            "systems": shown,
            "unheard": plan.unheard(cells),
            "absent": [system for system in form["systems"] if system not in shown],
            "rebuilt": {} if plan.published else self._rebuilt(shown),
            "study": {
                "title": entry["title"],
                "systems": plan.systems,
                "attackers": entry["attackers"],
                "lms": entry["lms"],
                "pools": entry["pools"],
                "datasets": {
                    role: [
                        {"name": dataset, "genders": plan.genders(dataset)} for dataset in datasets
                    ]
                    for role, datasets in entry["datasets"].items()
                },
            },
            "display": self._display,
        }
        if kind == "tables":
            config["attackers"] = self._attackers_of(study)
            config["curves"] = [ids for _, ids in self.table_curves(study, name)]
        if kind == "figures":
            config["attackers"] = plan.attackers_of(form)
            config["panel_systems"] = [plan.shown([p["x"], p["y"]]) for p in panels]
        if form.get("form") in FILES_OF_FORM:
            config["drawn"] = [ids for _, ids in plan.drawn_files(form)]
        return config

    def _rebuilt(self, systems: Sequence[str]) -> dict[str, str]:
        """Return what had to be guessed of systems, for those with something guessed."""
        notes = {name: self["systems"].get(name, {}).get("reconstruction") for name in systems}
        return {name: note for name, note in notes.items() if note}

    def comparison_inputs(self, table: str) -> list[str]:
        """Return the printed values that a table is set beside."""
        return published_files(self["tables"][table])

    def comparison_config(self, study: str, table: str) -> dict:
        """Return what a table is set beside published values with."""
        entry = self["studies"][study]
        return {
            "name": table,
            "title": entry["title"],
            "counterparts": entry["counterparts"],
            "display": self._display,
        }

    def _check_references(self) -> None:
        for name in (REFERENCE_SYSTEM,):
            self._require(name, "systems", "the reference")
        if GIVEN in self["asv"]:
            raise ConfigurationError(f"asv {GIVEN}: the name is kept for scores of others")
        check_datasets(self, self._require)
        check_kits(self, self._require)
        check_protocols(self["legal"], self._require)
        for name, entry in self["studies"].items():
            origin = f"study {name}"
            if entry["source"] == "published":
                self._check_published(name, entry)
                continue
            for kind in ("systems", "attackers", "tables", "figures"):
                for item in entry[kind]:
                    self._require(item, kind, f"{origin}, {kind}")
            for lm in entry["lms"]:
                self._require(lm, "lm", f"{origin}, lms")
            for kind in ("asv", "asr", "ser"):
                if kind in entry:
                    self._require(entry[kind], kind, f"{origin}, {kind}")
            check_language_models(origin, entry, self["asr"])
            for asv in entry["contenders"]:
                self._require(asv, "asv", f"{origin}, contenders")
            if "asv" in entry and "training_data" not in self["asv"][entry["asv"]]:
                raise ConfigurationError(
                    f"{origin}, asv: {entry['asv']} is pretrained and cannot learn anonymized "
                    "speech; list it under `contenders`, beside one that is trained"
                )
            for role, datasets in entry["datasets"].items():
                for dataset in datasets:
                    self._require(dataset, "datasets", f"{origin}, datasets.{role}")
            check_chains(name, self)
            check_probes(name, self, self._require)
            if "legal" in entry:
                self.legal_plan(name).check(self._require)
            for table in entry["tables"]:
                self.table_inputs(name, table)
            for figure in entry["figures"]:
                self.figure_inputs(name, figure)

    def _check_published(self, study: str, entry: Mapping) -> None:
        """Names in printed values are those of display.yaml: there is nothing to compute."""
        datasets = [name for names in entry["datasets"].values() for name in names]
        datasets += entry["pools"]
        for kind, names in (("systems", entry["systems"]), ("datasets", datasets)):
            for name in names:
                if name not in self._display[kind]:
                    raise ConfigurationError(
                        f"study {study}: {name!r} has no printed name; add it to {kind} in "
                        "config/display.yaml"
                    )
        for kind in ("tables", "figures"):
            for item in entry[kind]:
                self._require(item, kind, f"study {study}, {kind}")
        for figure in entry["figures"]:
            self.figure_inputs(study, figure)

    def _require(self, name: str, kind: str, origin: str) -> None:
        if name not in self[kind]:
            known = ", ".join(sorted(self[kind])) or "none"
            raise ConfigurationError(f"{origin}: no {kind} entry {name!r}; known: {known}")


def _cells_of(form: Mapping, plan: StudyPlan) -> list[dict]:
    """Return the metrics and attackers that a figure shows."""
    if "panels" in form:
        return [axis for panel in form["panels"] for axis in (panel["x"], panel["y"])]
    if FILES_OF_FORM.get(form["form"]) == "similarity":
        return [{"metric": SIMILARITY_METRICS[0]}]
    attackers = plan.attackers_of(form) or [None]
    return [{"metric": form["metric"], "attacker": attacker} for attacker in attackers]
