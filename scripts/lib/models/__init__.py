"""Neural models: the only modules that import torch, torchaudio or speechbrain."""

import os

# Read when torch is loaded. A thread that has to wait sleeps instead of spinning: on cores shared
# with another job, spinning made a training ten times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# Without it cuBLAS is not deterministic.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
