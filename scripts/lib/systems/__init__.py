"""Anonymization methods: one per module, all with the same two functions.

`draw(rng, params)` chooses a pseudo-voice (plain data), and `process(samples, voice, params)`
turns a waveform at 16 kHz into the waveform of that pseudo-voice. A method that needs more than
that offers `process_shard(shard)` instead, which yields (utterance, samples) for every utterance
of a `scripts.lib.shards.Shard`, in any order.
"""

import importlib
from types import ModuleType


def load_method(name: str) -> ModuleType:
    """Return the module of a method.

    It is imported by name, so that editing one method reruns the systems that use it and no
    others: the rule lists the module among its inputs.
    """
    return importlib.import_module(f"scripts.lib.systems.{name}")
