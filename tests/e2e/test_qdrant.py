"""The service on a Qdrant server: real processes, gRPC between them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from scripts.local_service import Organization, running_service
from tests.e2e.conftest import MakeRepository, new_data_directory
from tests.indexer.store.qdrant_server import StandIn, running_stand_in

FILES = {
    "billing/invoices.py": "def total_of_invoice(lines):\n    return sum(lines)\n",
    "billing/refunds.py": "def refund_payment(payment):\n    return -payment\n",
    "README.md": "# Billing\n\nInvoices and refunds.\n",
}


@dataclass
class Site:
    qdrant: StandIn
    acme: Organization


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with new_data_directory() as directory, running_stand_in(api_key="of-the-service") as qdrant:
        environment = {"VECTOR_STORE_URL": qdrant.url, "QDRANT_API_KEY": "of-the-service"}
        with running_service(directory, environment) as service:
            yield Site(qdrant, Organization(service, "acme", service.create_organization("acme")))


def paths(answer: dict[str, list[dict[str, str]]]) -> set[str]:
    return {result["file"] for result in answer["results"]}


def test_repository_is_indexed_searched_and_checked(
    site: Site, make_repository: MakeRepository
) -> None:
    report = site.acme.index(make_repository("billing", FILES), "billing")
    assert report["chunks"] >= 3
    assert "billing/refunds.py" in paths(site.acme.search("refund a payment"))
    assert list(site.qdrant.held) == [site.qdrant.local.get_aliases().aliases[0].collection_name]
    checked = site.acme.service.manage("reconcile", "--check")
    assert re.search(r"billing +3 +0 +0 +0$", checked.stdout, re.MULTILINE)
    done = site.acme.service.manage("optimize_index")
    assert "compact" in done.stdout


def test_search_says_that_qdrant_is_away_and_works_when_it_is_back(
    site: Site, make_repository: MakeRepository
) -> None:
    site.acme.index(make_repository("shop", FILES), "shop")
    site.qdrant.stop()
    with pytest.raises(httpx.HTTPStatusError) as caught:
        site.acme.search("refund a payment")
    answer = caught.value.response
    assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert "vector store" in answer.json()["detail"]
    assert "of-the-service" not in site.acme.service.log.read_text(errors="replace")
    ready = httpx.get(f"{site.acme.service.url}/readyz", timeout=10)
    assert ready.json()["checks"]["vector_store"] != "ok"

    site.qdrant.start()
    assert "billing/refunds.py" in paths(site.acme.search("refund a payment"))
