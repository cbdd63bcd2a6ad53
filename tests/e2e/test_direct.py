"""Direct uploads: real service and indexer, and a Qdrant server that checks tokens, over gRPC."""

from collections.abc import Iterator
from dataclasses import dataclass

import grpc
import pytest

from scripts.local_service import Organization, running_service
from tests.e2e.conftest import MakeRepository, new_data_directory
from tests.indexer.store.qdrant_server import StandIn, running_stand_in

KEY = "of-the-service-and-long-enough-for-a-token"
DIRECT = {"AETERNA_VECTORS": "direct"}
FILES = {
    "billing/invoices.py": "def total_of_invoice(lines):\n    return sum(lines)\n",
    "billing/refunds.py": "def refund_payment(payment):\n    return -payment\n",
}


@dataclass
class Site:
    qdrant: StandIn
    acme: Organization


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with new_data_directory() as directory, running_stand_in(api_key=KEY) as qdrant:
        environment = {"VECTOR_STORE_URL": f"{qdrant.url}?jwt=true", "QDRANT_API_KEY": KEY}
        with running_service(directory, environment) as service:
            yield Site(qdrant, Organization(service, "acme", service.create_organization("acme")))


def presented_for_writing(qdrant: StandIn) -> set[str]:
    """Keys and tokens that come with points from here on."""
    presented: set[str] = set()

    def note(context: grpc.ServicerContext) -> None:
        if qdrant.requests[-1][0] == "Upsert":
            presented.add(dict(context.invocation_metadata())["api-key"])

    qdrant.faults = [note] * 1000
    return presented


def test_direct_mode(site: Site, make_repository: MakeRepository) -> None:
    service = site.acme.service
    service.manage("direct_uploads", "--organization", "acme", "on")
    repository = make_repository("billing", FILES)
    presented = presented_for_writing(site.qdrant)
    report = site.acme.index(repository, "billing", environment=DIRECT)
    assert report["embedded"] == report["chunks"] == 2
    assert site.acme.search("refund a payment")["results"][0]["file"] == "billing/refunds.py"

    own_secret = DIRECT | {"QDRANT_API_KEY": KEY}
    report = site.acme.index(repository, "copied", environment=own_secret)
    assert (report["embedded"], report["reused"]) == (0, 2)
    assert site.acme.dump("billing") == site.acme.dump("copied")
    rows = service.ask("reconcile").json()["repositories"]
    assert not any(row["missing"] or row["excess"] for row in rows)

    with_key, with_token = (key == KEY for key in sorted(presented, key=len))
    assert (with_key, with_token) == (True, False)
    said = service.log.read_text()
    assert not any(key in said for key in presented)
