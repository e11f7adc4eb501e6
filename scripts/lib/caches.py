"""Keep what libraries store for later below one folder, instead of in the user's home."""

import os
from collections.abc import MutableMapping
from pathlib import Path

# Where each library looks; a value that is already set is the user's own choice.
PLACES = {
    "XDG_CACHE_HOME": ".",
    "MPLCONFIGDIR": "matplotlib",
    "HF_HOME": "huggingface",
    "TORCH_HOME": "torch",
    "NUMBA_CACHE_DIR": "numba",
}


def keep_caches_below(folder: str | Path, environment: MutableMapping[str, str]) -> None:
    """Point the caches of all libraries below a folder, for this process and its jobs.

    Parameters
    ----------
    folder
        The `cache` key of the configuration.
    environment
        Variables to set where they are not.

    Examples
    --------
    >>> variables = {"HF_HOME": "/models"}
    >>> keep_caches_below("/data/cache", variables)
    >>> variables["HF_HOME"], variables["TORCH_HOME"]
    ('/models', '/data/cache/torch')
    """
    for variable, name in PLACES.items():
        environment.setdefault(variable, os.path.abspath(Path(folder) / name))
