# Audio that is removed once it is embedded: the same jobs as for audio that stays.
use rule synthesize_corpus as synthesize_passing_corpus with:
    output:
        data=temp(directory("<results>/corpora/{corpus}/data")),
        sums="<results>/corpora/{corpus}/SHA256SUMS",
    wildcard_constraints:
        corpus=passing("synthetic"),


use rule anonymize_shard as anonymize_passing_shard with:
    output:
        audio=temp(directory("<results>/audio/{system}/{dataset}/{shard}")),
        manifest="<results>/audio/{system}/{dataset}/{shard}.tsv",
    wildcard_constraints:
        system=other_systems(),
        dataset=passing("datasets"),


ruleorder: synthesize_passing_corpus > synthesize_corpus
ruleorder: anonymize_passing_shard > anonymize_shard
