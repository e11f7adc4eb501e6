# Functions named by the rule that chooses voices; no rules.
from scripts.lib.chains import voice_steps


def original_vectors(asv, dataset):
    """Return the vectors of a dataset's original speech by the chain's own model."""
    folder = f"<results>/embeddings/{asv}/orig/0/orig/{dataset}"
    return [f"{folder}/{part}.npz" for part in part_names(dataset)]


def source_vectors(wildcards):
    """Return the vectors of the speech whose voices are replaced."""
    return original_vectors(chain_of_job(wildcards).vectors, wildcards.dataset)


def pool_manifest(wildcards):
    """Return the manifest of the speakers who lend voices."""
    return f"<results>/data/{chain_of_job(wildcards).pool}/manifest.tsv"


def pool_vectors(wildcards):
    """Return the vectors of the speakers who lend voices."""
    chain = chain_of_job(wildcards)
    return original_vectors(chain.vectors, chain.pool)


def steps_of_job(wildcards):
    """Return the steps that change the vectors of a system on a dataset."""
    chain_of_job(wildcards)
    return voice_steps(wildcards.system, wildcards.dataset, CATALOGUE)


def vector_plda(wildcards):
    """Return the PLDA of the chain's own vectors, where a step asks how alike speakers are."""
    asked = any(step.get("affinity") == "plda" for step in steps_of_job(wildcards))
    return [f"<results>/asv/{chain_of_job(wildcards).vectors}/orig/0/plda.npz"] if asked else []


def step_networks(wildcards):
    """Return the trained networks of a system's steps, one for each step that has one."""
    networks = chain_of_job(wildcards).autoencoders
    return [
        f"<results>/autoencoder/{networks[step['autoencoder']]}/layers.npz"
        for step in steps_of_job(wildcards)
        if "autoencoder" in step
    ]


def step_sources(wildcards):
    """Return the files of a system's steps, which the script imports by name."""
    names = {step["step"] for step in steps_of_job(wildcards)}
    return sorted(
        {file for name in names for file in repository_files(f"scripts/lib/voices/{name}.py")}
    )


def choice_config(wildcards):
    """Return what a choice of voices depends on beside the vectors."""
    entry = entry_of("systems", wildcards.system)
    keys = ("level", "training_level", "seeding", "seed")
    return {
        "system": {"name": wildcards.system, **{key: entry[key] for key in keys}},
        "steps": steps_of_job(wildcards),
        "dataset": anonymization_config(wildcards)["dataset"],
    }


def description_config(wildcards):
    """Return whose voices are measured, and which steps chose them."""
    return {
        "system": wildcards.system,
        "dataset": wildcards.dataset,
        "level": entry_of("systems", wildcards.system)["level"],
        "steps": steps_of_job(wildcards),
    }
