# VoicePrivacy Bench: how well voice anonymization hides who speaks, and what it leaves usable.
#
# Output grammar (results/README.md explains each): a path names all that decides its content.
#   <results>/corpora/{corpus}/                                              embedded audio
#   <results>/data/{dataset}/manifest.tsv, trials_{gender}.tsv               what there is
#   <results>/external/{system}/{dataset}.tsv                                finished audio
#   <results>/audio/{system}/{dataset}/{shard}.tsv and {shard}/              anonymized speech
#   <results>/asv/{asv}/{trained_on}/{seed}/                                 attacker models
#   <results>/embeddings/{asv}/{trained_on}/{seed}/{system}/{dataset}.npz
#   <results>/scores/{asv}/{attacker}/{seed}/{system}/{dataset}/{gender}.tsv
#   <results>/similarity/{asv}/{trained_on}/{seed}/{system}/{dataset}/{gender}.npz
#   <results>/metrics/{privacy,similarity,wer,uar,published}/…               tidy rows
#   <results>/{study}/tables/{table}.{tsv,md,tex}, figures/{figure}.{pdf,png}
#   <results>/{study}/tables/compare_{number}.{md,tsv}                       beside published values
from snakemake.utils import min_version

min_version("9.19")


configfile: workflow.source_path("config/config.yaml")


pathvars:
    results="results",
    logs="results/logs",
    benchmarks="results/benchmarks",


include: "rules/common.smk"
include: "rules/lookups.smk"
include: "rules/data.smk"
include: "rules/anonymize.smk"
include: "rules/asv.smk"
include: "rules/asr.smk"
include: "rules/ser.smk"
include: "rules/metrics.smk"
include: "rules/report.smk"
include: "rules/collect.smk"


rule all:
    """Build the study that the configuration names."""
    default_target: True
    input:
        CATALOGUE.targets(config["study"]),
    localrule: True
