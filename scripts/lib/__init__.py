"""Importable library of the workflow; nothing here knows about Snakemake."""
