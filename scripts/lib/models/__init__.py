"""Neural models: the only modules that import torch, torchaudio or speechbrain."""
