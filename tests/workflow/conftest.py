import shutil

import pytest

from tests.workflow.checkout import Checkout


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A copy of the workflow in which the smallest study has been run to its end."""
    checkout = Checkout(tmp_path_factory.mktemp("finished") / "bench")
    checkout.run("--configfile", "tiny.yaml")
    return checkout


@pytest.fixture(scope="session")
def finished_chain(tmp_path_factory):
    """A copy of the workflow in which the smallest study of chain systems has been run."""
    checkout = Checkout(tmp_path_factory.mktemp("finished_chain") / "bench")
    checkout.run("--configfile", "tiny.yaml", "tiny_chain.yaml")
    return checkout


@pytest.fixture
def copy_of_finished(finished, tmp_path):
    """Return a private copy of the finished study, its times kept, to edit at will."""
    return copy_of(finished, tmp_path / "bench")


@pytest.fixture
def copy_of_finished_chain(finished_chain, tmp_path):
    """Return such a copy of the study of chain systems."""
    return copy_of(finished_chain, tmp_path / "bench")


def copy_of(finished, folder):
    shutil.copytree(finished.folder, folder, symlinks=True)
    copy = Checkout.__new__(Checkout)
    copy.folder = folder
    return copy


@pytest.fixture
def checkout(tmp_path):
    """Return a fresh copy of the workflow without results."""
    return Checkout(tmp_path / "bench")
