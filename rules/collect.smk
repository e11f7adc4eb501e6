# What people type: the name of a study makes all its tables and figures.
for STUDY in CATALOGUE["studies"]:

    rule:
        name:
            STUDY
        input:
            CATALOGUE.targets(STUDY),
        localrule: True
