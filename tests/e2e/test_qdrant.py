"""The service on a Qdrant server: real processes, gRPC between them."""

import re
import time

import httpx
import pytest

from scripts.local_service import Organization
from tests.e2e.conftest import MakeRepository, OnQdrant
from tests.e2e.indexing import index_here

FILES = {
    "billing/invoices.py": "def total_of_invoice(lines):\n    return sum(lines)\n",
    "billing/refunds.py": "def refund_payment(payment):\n    return -payment\n",
    "README.md": "# Billing\n\nInvoices and refunds.\n",
}


@pytest.fixture(scope="module")
def acme(on_qdrant: OnQdrant) -> Organization:
    return on_qdrant.service.organization("acme")


def paths(answer: dict[str, list[dict[str, str]]]) -> set[str]:
    return {result["file"] for result in answer["results"]}


def test_repository_is_indexed_searched_and_checked(
    acme: Organization, on_qdrant: OnQdrant, make_repository: MakeRepository
) -> None:
    report = acme.index(make_repository("billing", FILES), "billing")
    assert report["chunks"] >= 3
    assert "billing/refunds.py" in paths(acme.search("refund a payment"))
    aliases = {
        alias.alias_name: alias.collection_name
        for alias in on_qdrant.qdrant.local.get_aliases().aliases
    }
    assert aliases["codesearch_acme_billing"] in on_qdrant.qdrant.held
    checked = acme.service.manage("reconcile", "--check")
    assert re.search(r"billing +3 +0 +0 +0 +[01] +0$", checked.stdout, re.MULTILINE)
    done = acme.service.manage("optimize_index")
    assert "compact" in done.stdout


def test_search_says_that_qdrant_is_away_and_works_when_it_is_back(
    acme: Organization, on_qdrant: OnQdrant, make_repository: MakeRepository
) -> None:
    index_here(acme, make_repository("shop", FILES), "shop")
    on_qdrant.qdrant.stop()
    with pytest.raises(httpx.HTTPStatusError) as caught:
        acme.search("refund a payment")
    answer = caught.value.response
    assert answer.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert "vector store" in answer.json()["detail"]
    assert on_qdrant.key not in acme.service.log.read_text(errors="replace")
    ready = httpx.get(f"{acme.service.url}/readyz", timeout=10)
    assert ready.json()["checks"]["vector_store"] != "ok"

    on_qdrant.qdrant.start()
    deadline = time.monotonic() + 60  # gRPC tries again at growing distances
    while httpx.get(f"{acme.service.url}/readyz", timeout=10).is_error:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert "billing/refunds.py" in paths(acme.search("refund a payment"))
