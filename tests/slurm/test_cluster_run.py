"""A study on a cluster of three nodes gives the bytes that one machine gives."""

import pytest

from tests.slurm.local_cluster import NODES
from tests.slurm.submission import Submission
from tests.workflow.checkout import Checkout

pytestmark = pytest.mark.slurm
TABLE = "results/tiny/tables/table_03.tsv"
SHARD = "results/audio/b2/tiny_test/000.tsv"
# They tell times, as the card of a model does.
RECORDS = ("results/logs", "results/benchmarks")


def two_systems(folder) -> Checkout:
    checkout = Checkout(folder / "bench")
    checkout.edit("tiny.yaml", "systems: [orig, b2, b2_2024]", "systems: [orig, b2]")
    return checkout


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """A copy of the workflow with one table of the smallest study, made without a cluster."""
    checkout = two_systems(tmp_path_factory.mktemp("local"))
    checkout.run("--configfile", "tiny.yaml", "--", TABLE)
    return checkout


def results(checkout) -> dict[str, bytes]:
    files = [path for path in (checkout.folder / "results").rglob("*") if path.is_file()]
    named = {str(path.relative_to(checkout.folder)): path for path in files}
    return {
        name: path.read_bytes()
        for name, path in named.items()
        if not name.startswith(RECORDS) and path.name != "card.yaml"
    }


def test_a_table_has_the_bytes_of_a_local_run(cluster, local, tmp_path):
    checkout = two_systems(tmp_path)
    jobs = checkout.planned("--configfile", "tiny.yaml", "--", TABLE)
    submission = Submission(cluster, checkout, "--", TABLE)
    assert submission.run() == 0, submission.output()
    on_cluster, on_one_machine = results(checkout), results(local)
    assert on_cluster.keys() == on_one_machine.keys()
    assert [name for name in on_cluster if on_cluster[name] != on_one_machine[name]] == []
    # Jobs of seconds went out in groups, and every node had its share.
    assert submission.submitted() < len(jobs)
    assert {job["node"] for job in cluster.ended()} == set(NODES)
    # A later run on one machine finds nothing to do.
    assert checkout.planned("--configfile", "tiny.yaml", "--", TABLE) == []


def test_the_example_for_other_schedulers_works(cluster, local, tmp_path):
    checkout = two_systems(tmp_path)
    submission = Submission(cluster, checkout, "--", SHARD, profile="cluster-generic")
    assert submission.run() == 0, submission.output()
    assert submission.submitted() == 3
    assert (checkout.folder / SHARD).read_bytes() == (local.folder / SHARD).read_bytes()
