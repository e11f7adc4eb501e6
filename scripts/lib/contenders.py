"""What has to be computed to find a study's strongest attacker."""

from collections.abc import Mapping

from scripts.lib.reference import REFERENCE_ATTACKER, REFERENCE_SYSTEM
from scripts.lib.study_plan import StudyPlan


def contest_files(plan: StudyPlan, models: Mapping[str, Mapping], trainings: Mapping) -> list[str]:
    """Return the privacy metrics of every model, attacker, system and dataset of a study.

    Parameters
    ----------
    plan
        The study.
    models
        Entries of config/asv. One that is not trained here cannot learn anonymized speech.
    trainings
        What the model of each attacker is trained on: `original` or `anonymized`.
    """
    # Whoever can be heard can be attacked by a model; the others come as scores of one attacker.
    systems = plan.shown([{"metric": "wer"}])
    files = []
    for asv in [plan.entry["asv"], *plan.entry["contenders"]]:
        trained = "training_data" in models[asv]
        for dataset in [*plan.entry["datasets"]["dev"], *plan.entry["datasets"]["test"]]:
            for system in systems:
                attackers = [
                    name
                    for name in plan.entry["attackers"]
                    if plan.meets(name, system) and (trained or trainings[name] == "original")
                ]
                files += [
                    f"<results>/metrics/privacy/{asv}/{name}/{seed}/{system}/{dataset}.tsv"
                    for name in ([REFERENCE_ATTACKER] if system == REFERENCE_SYSTEM else attackers)
                    for seed in (plan.entry["seeds"] if trained else [0])
                ]
    return files
