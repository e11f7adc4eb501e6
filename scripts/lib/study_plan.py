"""What a study needs: which systems a table or figure shows, and which files it is made from."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from scripts.lib.configuration import ConfigurationError
from scripts.lib.reference import (
    FILES_OF_FORM,
    MODEL_OF_METRIC,
    REFERENCE_ATTACKER,
    REFERENCE_SYSTEM,
    SIMILARITY_METRICS,
    has_attacker,
)
from scripts.lib.wer_plan import wer_files

# Stands in paths where a model's name stands, for scores that others computed.
GIVEN = "given"
PUBLISHED = ("vpc2020", "vpc2024")


def published_files(form: Mapping) -> list[str]:
    """Return the files with the printed values that belong to a table or figure."""
    return [f"<results>/metrics/published/{name}.tsv" for name in form.get("published", PUBLISHED)]


class StudyPlan:
    """One study's systems, datasets and files.

    Parameters
    ----------
    name, entry
        The study and its entry in config/studies.
    datasets
        Entries of config/datasets.
    order
        All systems in printed order; others follow in the study's own order.
    given
        Systems that are given as scores.
    """

    def __init__(
        self,
        name: str,
        entry: Mapping,
        datasets: Mapping,
        order: Sequence[str],
        given: Collection[str] = (),
    ):
        self.name, self.entry, self._datasets, self._given = name, entry, datasets, given
        listed = entry["systems"]
        known = [system for system in order if system in listed]
        self.systems = known + [system for system in listed if system not in known]

    @property
    def published(self) -> bool:
        """Return whether the study shows printed values instead of computed ones."""
        return self.entry["source"] == "published"

    def genders(self, dataset: str) -> list[str]:
        """Return the genders that a dataset has trials for."""
        if self.published:
            return ["f", "m"]
        return [g for g in "fm" if f"trials_{g}" in self._datasets[dataset]["subsets"]]

    def datasets_of(self, form: Mapping) -> list[str]:
        """Return the datasets that fill a form, or the one it picks by number."""
        names = [name for role in form["datasets"] for name in self.entry["datasets"][role]]
        number = form.get("dataset_number")
        if number is None:
            return names
        if number > len(names):
            roles = ", ".join(form["datasets"])
            raise ConfigurationError(
                f"study {self.name}: has {len(names)} datasets of the role {roles}, "
                f"but this figure shows number {number}"
            )
        return [names[number - 1]]

    def attackers_of(self, form: Mapping) -> list[str]:
        """Return the attackers of a figure that the study has."""
        return [name for name in form["attackers"] if name in self.entry["attackers"]]

    def meets(self, attacker: str, system: str) -> bool:
        """Return whether the study has results of an attacker on a system."""
        chosen = self.entry["attacker_systems"].get(attacker)
        return chosen is None or system in chosen or system == REFERENCE_SYSTEM

    def shown(self, cells: Sequence[Mapping], printed: Sequence[str] = ()) -> list[str]:
        """Return the systems with a value in every cell: printed ones first, in printed order.

        Parameters
        ----------
        cells
            Pairs of metric and attacker, as the blocks of a table give them.
        printed
            Systems of the publication, in its order.
        """
        here = [system for system in self.systems if self._has(system, cells)]
        first = [system for system in printed if system in here]
        if self.published and printed:
            return first
        return first + [system for system in here if system not in first]

    def unheard(self, cells: Sequence[Mapping]) -> list[str]:
        """Return the systems that some cell leaves out because they are given as scores."""
        audio = any(not has_attacker(cell["metric"]) for cell in cells)
        return [system for system in self.systems if audio and system in self._given]

    def metric_files(self, form: Mapping, cells: Sequence[Mapping]) -> list[str]:
        """Return the files with the metric rows of some cells."""
        if self.published:
            return published_files(form)
        files = (
            file
            for cell in cells
            for dataset in self.datasets_of(form)
            for system in self.systems
            if self._has(system, [cell])
            for file in self._files_of_cell(cell, system, dataset)
        )
        return list(dict.fromkeys(files))

    def evidence_files(self, form: Mapping, cells: Sequence[Mapping]) -> list[str]:
        """Return further metric files that show how strong the attackers of some cells are.

        These are original speech on the same trials, and what the next weaker attacker achieves.
        """
        if self.published:  # whose attackers are not ours to judge
            return []
        order = list(self.entry["attackers"])
        wanted = []
        for cell in cells:
            if has_attacker(cell["metric"]) and cell["attacker"] in order:
                place = order.index(cell["attacker"])
                # The cells themselves come along, because a file may hold several metrics.
                wanted += [
                    {"metric": "eer", "attacker": name}
                    for name in order[max(0, place - 1) : place + 1]
                ]
        return self.metric_files(form, wanted) if wanted else []

    def curves(
        self, cells: Sequence[Mapping], trainings: Mapping[str, str]
    ) -> list[tuple[str, dict]]:
        """Return the loss curves of the models behind some cells, and which model each is of.

        Parameters
        ----------
        cells
            Pairs of metric and attacker.
        trainings
            What the model of each attacker is trained on: `original` or `anonymized`.
        """
        if self.published:
            return []
        models = [
            REFERENCE_SYSTEM if trainings[cell["attacker"]] == "original" else system
            for cell in cells
            if has_attacker(cell["metric"])
            for system in self.systems
            if system not in self._given
            and system != REFERENCE_SYSTEM
            and self._has(system, [cell])
        ]
        asv = self._model("asv", "an attacker") if models else ""
        return [
            (
                f"<results>/asv/{asv}/{model}/{seed}/curve.tsv",
                {"trained_on": model, "seed": seed},
            )
            for model in dict.fromkeys(models)
            for seed in self.entry["seeds"]
        ]

    def drawn_files(self, form: Mapping) -> list[tuple[str, dict]]:
        """Return what a figure of scores or matrices reads: each file and what it holds.

        Models of the study's first seed are shown.
        """
        kind = FILES_OF_FORM[form["form"]]
        if self.published:
            raise ConfigurationError(
                f"study {self.name}: the form {form['form']} needs files of {kind}, "
                "which published values do not have"
            )
        found = self._score_files if kind == "scores" else self._similarity_files
        return list(found(form))

    def _score_files(self, form: Mapping) -> Iterator[tuple[str, dict]]:
        attackers = self.attackers_of(form)
        cells = [{"metric": "eer", "attacker": attacker} for attacker in attackers]
        for dataset in self.datasets_of(form):
            for system in self.shown(cells, form["systems"]):
                reference = system == REFERENCE_SYSTEM
                for attacker in [REFERENCE_ATTACKER] if reference else attackers:
                    for gender in self._genders_of(form, dataset):
                        ids = {
                            "system": system,
                            "attacker": attacker,
                            "dataset": dataset,
                            "gender": gender,
                        }
                        asv, seeds = self._scorer(system, form["form"])
                        path = f"{asv}/{attacker}/{seeds[0]}/{system}/{dataset}/{gender}.tsv"
                        yield f"<results>/scores/{path}", ids

    def _similarity_files(self, form: Mapping) -> Iterator[tuple[str, dict]]:
        asv, seed = self._model("asv", form["form"]), self.entry["seeds"][0]
        cells = [{"metric": "g_vd"}]
        if "anonymized" in form["asv_training"]:
            cells.append({"metric": "eer", "attacker": "semi_informed"})
        for training in form["asv_training"]:
            for dataset in self.datasets_of(form):
                for system in self.shown(cells, form["systems"]):
                    if system == REFERENCE_SYSTEM:
                        continue
                    trained_on = REFERENCE_SYSTEM if training == "original" else system
                    for gender in self._genders_of(form, dataset):
                        ids = {
                            "system": system,
                            "asv_training": training,
                            "dataset": dataset,
                            "gender": gender,
                        }
                        path = f"{asv}/{trained_on}/{seed}/{system}/{dataset}/{gender}.npz"
                        yield f"<results>/similarity/{path}", ids

    def _genders_of(self, form: Mapping, dataset: str) -> list[str]:
        present = self.genders(dataset)
        for gender in form["genders"]:
            if gender not in present:
                raise ConfigurationError(
                    f"study {self.name}: the form {form['form']} shows gender {gender}, "
                    f"but dataset {dataset} has no such trials"
                )
        return form["genders"]

    def _has(self, system: str, cells: Sequence[Mapping]) -> bool:
        for cell in cells:
            if cell["metric"] in SIMILARITY_METRICS and system == REFERENCE_SYSTEM:
                return False
            if not has_attacker(cell["metric"]) and system in self._given:
                return False
            if has_attacker(cell["metric"]) and not self.meets(cell["attacker"], system):
                return False
        return True

    def _model(self, kind: str, wanted: str) -> str:
        if kind not in self.entry:
            raise ConfigurationError(f"study {self.name}: {wanted} needs the key {kind!r}")
        return self.entry[kind]

    def _scorer(self, system: str, wanted: str) -> tuple[str, list[int]]:
        """Return what scores a system's trials come from, and its training seeds."""
        if system in self._given:
            return GIVEN, [0]
        return self._model("asv", wanted), self.entry["seeds"]

    def _files_of_cell(self, cell: Mapping, system: str, dataset: str) -> list[str]:
        metric, seeds = cell["metric"], self.entry["seeds"]
        if has_attacker(metric):
            attacker = REFERENCE_ATTACKER if system == REFERENCE_SYSTEM else cell["attacker"]
            asv, seeds = self._scorer(system, f"the metric {metric}")
            base = f"<results>/metrics/privacy/{asv}/{attacker}"
            return [f"{base}/{seed}/{system}/{dataset}.tsv" for seed in seeds]
        model = self._model(MODEL_OF_METRIC.get(metric, "asv"), f"the metric {metric}")
        if metric == "wer":
            return wer_files(self.entry, model, cell, system, dataset)
        if MODEL_OF_METRIC.get(metric) == "ser":
            path = f"{model}/{REFERENCE_SYSTEM}/{seeds[0]}"
            return [f"<results>/metrics/uar/{path}/{system}/{dataset}.tsv"]
        base = f"<results>/metrics/similarity/{model}/{REFERENCE_SYSTEM}"
        return [f"{base}/{seed}/{system}/{dataset}.tsv" for seed in seeds]
