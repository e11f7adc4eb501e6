"""What every result is compared with, and which model a metric comes from."""

REFERENCE_SYSTEM = "orig"
REFERENCE_ATTACKER = "original"
# Every other metric is computed from the trial scores of a speaker verification model.
MODEL_OF_METRIC = {"wer": "asr", "uar": "ser"}
