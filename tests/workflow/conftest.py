import shutil

import pytest

from tests.workflow.checkout import Checkout


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A copy of the workflow in which the smallest study has been run to its end."""
    checkout = Checkout(tmp_path_factory.mktemp("finished") / "bench")
    checkout.run("--configfile", "tiny.yaml")
    return checkout


@pytest.fixture
def copy_of_finished(finished, tmp_path):
    """Return a private copy of the finished study, its times kept, to edit at will."""
    shutil.copytree(finished.folder, tmp_path / "bench", symlinks=True)
    copy = Checkout.__new__(Checkout)
    copy.folder = tmp_path / "bench"
    return copy


@pytest.fixture
def checkout(tmp_path):
    """Return a fresh copy of the workflow without results."""
    return Checkout(tmp_path / "bench")
