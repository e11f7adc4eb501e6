# What people type: the name of a study makes all its tables and figures and its record.
for STUDY in CATALOGUE["studies"]:

    rule:
        name:
            STUDY
        input:
            targets_of(STUDY),
        localrule: True
