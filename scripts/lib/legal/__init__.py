"""Singling out, linkability and equal error rate by population size (the legal framework)."""
