# Functions named by the rule that records a run; no rules.
from types import SimpleNamespace

from scripts.lib.chains import PARTS
from scripts.lib.study_entries import TRAINED, entries_of
from scripts.lib.study_plan import GIVEN
from scripts.lib.wer_plan import NO_LM


def used_by(study):
    """Return every configuration entry that a study uses, by kind and name."""
    return entries_of(study, CATALOGUE)


def targets_of(study):
    """Return everything that the name of a study makes."""
    return [*CATALOGUE.targets(study), f"<results>/{study}/provenance.json"]


def recorded_results(wildcards):
    """Return the tables and figures of a study."""
    return CATALOGUE.targets(wildcards.study)


def recorded_data(wildcards):
    """Return the lists and manifests that a study is computed from."""
    if entry_of("studies", wildcards.study)["source"] == "published":
        folder = REPOSITORY / "config" / "published"
        return [published_file(path.name) for path in sorted(folder.glob("*.csv"))]
    named = [SimpleNamespace(dataset=name) for name in used_by(wildcards.study)["datasets"]]
    return [file for name in named for file in [*dataset_files(name), *manifest_of(name)]]


def record_config(wildcards):
    """Return what the record of a study holds, and where the benchmark files of its jobs lie."""
    used = used_by(wildcards.study)
    kind_of = {"dataset": "datasets", "system": "systems", "trained_on": "systems"}
    kind_of |= {"corpus": "synthetic", "study": "studies"}
    kind_of |= {kind: kind for kind in (*TRAINED, *PARTS)}
    names = {wildcard: list(used.get(kind, {})) for wildcard, kind in kind_of.items()}
    names["asv"].append(GIVEN)
    names["lm"].append(NO_LM)
    patterns = {rule.name: str(rule.benchmark) for rule in workflow.rules if rule.benchmark}
    return {
        "study": wildcards.study,
        "configuration": used,
        "names": names,
        "patterns": patterns,
    }
