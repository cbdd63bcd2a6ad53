"""Direct uploads: real service and indexer, and a Qdrant server that checks tokens, over gRPC."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from scripts.local_git import commit_all
from scripts.local_service import Organization, running_service
from tests.e2e.conftest import MakeRepository, new_data_directory, write_files
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


def files_of(answer: dict[str, Any]) -> list[str]:
    return [result["file"] for result in answer["results"]]


def test_direct_mode(site: Site, make_repository: MakeRepository) -> None:
    repository = make_repository("billing", FILES)
    refused = site.acme.try_index(repository, "billing", environment=DIRECT)
    assert refused.returncode == 5
    assert "direct_not_available" in refused.stderr
    assert site.acme.get("index/status")["projects"] == []

    site.acme.service.manage("direct_uploads", "--organization", "acme", "on")
    report = site.acme.index(repository, "billing", environment=DIRECT)
    assert report["embedded"] == report["chunks"] == 2
    assert files_of(site.acme.search("refund a payment"))[0] == "billing/refunds.py"
    assert KEY not in site.acme.service.log.read_text()

    write_files(repository, {"billing/tax.py": "def tax_of_invoice(total):\n    return total\n"})
    commit_all(repository, "Tax")
    report = site.acme.index(repository, "billing", environment=DIRECT)
    assert (report["embedded"], report["reused"]) == (1, 0)

    own_secret = DIRECT | {"QDRANT_API_KEY": KEY}
    report = site.acme.index(repository, "copied", environment=own_secret)
    assert (report["embedded"], report["reused"]) == (0, 3)
    assert site.acme.dump_by_command("billing") == site.acme.dump_by_command("copied")
    site.acme.service.manage("reconcile", "--check")
