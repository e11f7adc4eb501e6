"""Fundamental frequency on the common frame grid: trackers, and what a chain does to it."""
