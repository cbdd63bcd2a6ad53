"""The service on a cluster of three real Qdrant nodes, some of which are killed."""

from collections.abc import Iterator

import httpx
import pytest

from scripts.local_git import commit_all
from scripts.local_service import Organization, running_service
from tests.e2e.conftest import MakeRepository, prepared_data_directory, write_files
from tests.indexer.store.qdrant.cluster import KEY, OPTIONS, Cluster
from tests.waiting import wait_until

pytestmark = pytest.mark.system("QDRANT_BINARY")

FILES = {
    f"part_{number}.py": f"def part_{number}(value):\n    return value * {number}\n"
    for number in range(60)
}
REFUND = {"refunds.py": "def refund_payment(payment):\n    return -payment\n"}


@pytest.fixture(scope="module")
def acme(qdrant_nodes: Cluster) -> Iterator[Organization]:
    """It allows direct uploads."""
    environment = {
        "VECTOR_STORE_URL": f"{qdrant_nodes.url}{OPTIONS}&jwt=true",
        "QDRANT_API_KEY": KEY,
    }
    with prepared_data_directory() as directory, running_service(directory, environment) as service:
        organization = service.organization("acme")
        service.manage("direct_uploads", "--organization", "acme", "on")
        yield organization


def found(acme: Organization, project: str) -> set[str]:
    answer = acme.search("refund a payment", include_projects=[project])
    return {result["file"] for result in answer["results"]}


@pytest.mark.parametrize("vectors", ["relay", "direct"])
def test_index_and_search_go_on_while_a_node_is_killed(
    acme: Organization, qdrant_cluster: Cluster, make_repository: MakeRepository, vectors: str
) -> None:
    environment = {"AETERNA_VECTORS": vectors}
    before = make_repository(f"before-{vectors}", FILES | REFUND)
    acme.index(before, before.name, environment=environment)

    qdrant_cluster.nodes[0].kill()  # the one that the service is connected to
    assert "refunds.py" in found(acme, before.name)
    (before / "refunds.py").unlink()
    write_files(before, {"returns.py": REFUND["refunds.py"]})
    commit_all(before, "Second commit")
    acme.index(before, before.name, environment=environment)
    during = make_repository(f"during-{vectors}", FILES | REFUND)
    acme.index(during, during.name, environment=environment)
    assert "returns.py" in found(acme, before.name)
    assert "refunds.py" in found(acme, during.name)

    qdrant_cluster.start()
    acme.service.manage("reconcile", "--check")
    for node in qdrant_cluster.nodes[1:]:
        node.kill()
        assert "returns.py" in found(acme, before.name)
        assert "refunds.py" in found(acme, during.name)
        qdrant_cluster.start()


def test_run_waits_for_a_cluster_that_is_away(
    acme: Organization, qdrant_cluster: Cluster, make_repository: MakeRepository
) -> None:
    shop = make_repository("shop", FILES)
    acme.index(shop, "shop")
    write_files(shop, REFUND)
    commit_all(shop, "Second commit")
    for node in qdrant_cluster.nodes:
        node.kill()

    indexing = acme.start_index(shop, "shop")
    wait_until(lambda: acme.is_applying("shop"))
    with pytest.raises(httpx.HTTPStatusError) as caught:
        acme.search("refund a payment")
    assert caught.value.response.status_code == httpx.codes.SERVICE_UNAVAILABLE

    qdrant_cluster.start()
    _, errors = indexing.communicate()
    assert indexing.returncode == 0, errors
    assert "refunds.py" in found(acme, "shop")
    acme.service.manage("reconcile", "--check")
