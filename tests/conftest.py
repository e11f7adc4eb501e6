import sys

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems():
    """Keep Hypothesis, which asks every module for its file, from loading SpeechBrain's lazy ones.

    Some of those need packages that are not installed, and their import would end the collection.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("speechbrain"):
            vars(module).setdefault("__file__", None)
