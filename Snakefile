# VoicePrivacy Bench: how well voice anonymization hides who speaks, and what it leaves usable.
#
# Output grammar (results/README.md explains each): a path names all that decides its content.
#   <results>/downloads/{download}.zip                                       public archives
#   <results>/corpora/{corpus}/                                              embedded or downloaded audio
#   <results>/data/{dataset}/manifest.tsv, trials_{gender}.tsv, accents.tsv  what there is
#   <results>/external/{system}/{dataset}.tsv                                finished audio
#   <results>/voices/{system}/{dataset}.npz                                  voices of chain systems
#   <results>/audio/{system}/{dataset}/{shard}.tsv and {shard}/              anonymized speech
#   <results>/{content,acoustic,vocoder,autoencoder}/{name}/                 trained parts of chains
#   <results>/features/{content,pitch}/{name}/{dataset}/{shard}.npz          what chains take from speech
#   <results>/probes/{content,pitch}/{name}/{dataset}.tsv                    speakers found in it
#   <results>/asv/{asv}/{trained_on}/{seed}/                                 attacker models
#   <results>/embeddings/{asv}/{trained_on}/{seed}/{system}/{dataset}/{part}.npz
#   <results>/speakers/{asv}/{trained_on}/{seed}.npz                         cohorts
#   <results>/scores/{asv}/{attacker}/{seed}/{system}/{dataset}/{gender}.tsv
#   <results>/similarity/{asv}/{trained_on}/{seed}/{system}/{dataset}/{gender}.npz
#   <results>/legal/{legal}/sets.tsv                                         set A and set B
#   <results>/metrics/legal/{legal}/{asv}/{trained_on}/{seed}/{system}/      curves by population
#   <results>/metrics/{privacy,similarity,wer,uar,voices,published}/…        tidy rows
#   <results>/{study}/tables/{table}.{tsv,md,tex}, figures/{figure}.{pdf,png}
#   <results>/{study}/tables/compare_{number}.{md,tsv}                       beside published values
#   <results>/{study}/checks/orderings.md                                    shape of the results
#   <results>/{study}/checks/vectors.md                                      voices before they speak
#   <results>/{study}/checks/leakage.md                                      speakers left in the content
#   <results>/{study}/samples/index.html, audio/{system}/                    to be heard
#   <results>/{study}/provenance.json, benchmarks.{tsv,md}                   how it was made
from snakemake.utils import min_version

min_version("9.19")


configfile: workflow.source_path("config/config.yaml")


pathvars:
    results="results",
    logs="results/logs",
    benchmarks="results/benchmarks",


include: "rules/common.smk"
include: "rules/lookups.smk"
include: "rules/download_lookups.smk"
include: "rules/part_lookups.smk"
include: "rules/training_lookups.smk"
include: "rules/ser_lookups.smk"
include: "rules/asv_lookups.smk"
include: "rules/asr_lookups.smk"
include: "rules/features_lookups.smk"
include: "rules/legal_lookups.smk"
include: "rules/record_lookups.smk"
include: "rules/checks_lookups.smk"
include: "rules/chain_lookups.smk"
include: "rules/voices_lookups.smk"
include: "rules/chain_training_lookups.smk"
include: "rules/probes_lookups.smk"
include: "rules/downloads.smk"
include: "rules/data.smk"
include: "rules/common_voice.smk"
include: "rules/anonymize.smk"
include: "rules/asv.smk"
include: "rules/passing.smk"
include: "rules/voices.smk"
include: "rules/chain_training.smk"
include: "rules/chain.smk"
include: "rules/asr.smk"
include: "rules/features.smk"
include: "rules/probes.smk"
include: "rules/ser.smk"
include: "rules/metrics.smk"
include: "rules/report.smk"
include: "rules/record.smk"
include: "rules/checks.smk"
include: "rules/legal.smk"
include: "rules/collect.smk"


rule all:
    """Build the study that the configuration names."""
    default_target: True
    input:
        targets_of(config["study"]),
    localrule: True
