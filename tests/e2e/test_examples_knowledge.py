"""What examples/knowledge.toml and the examples' decision records promise is in the graph."""

from typing import Any
from urllib.parse import quote

import pytest

from scripts.examples import read_knowledge, record_ids
from scripts.local_service import ROOT, Organization
from tests.waiting import wait_until

KNOWLEDGE = read_knowledge()
POLICIES = {node["id"] for node in KNOWLEDGE["node"] if node["kind"] == "policy"}
VIOLATIONS = KNOWLEDGE["violation"]
PROJECTS = sorted(path.name for path in (ROOT / "examples" / "acme").iterdir() if path.is_dir())
# Read in the code: what names a record in a comment or a docstring, and how.
NAMED = {
    "auth-service/ADR-0002": {
        ("auth-service/acme_auth/tokens.py#verify_token", "implements"),
        ("auth-service/acme_auth/middleware.py#AuthMiddleware", "mentions"),
    },
    "auth-service/ADR-0004": {
        ("auth-service/acme_auth/sessions.py#SessionStore.rotate", "implements"),
        ("web-frontend/src/api/tokens.ts#refreshAccessToken", "mentions"),
    },
    "common-utils/ADR-0007": {
        ("common-utils/src/acme_common/retry.py#retry_call", "implements"),
        ("go-kit/retry/retry.go#Permanent", "mentions"),
        ("legacy-monolith/monolith/utils.py#retry", "mentions"),
        ("payments-api/payments/card_network.py#CardDeclinedError", "mentions"),
    },
    "legacy-monolith/ADR-0011": {
        ("legacy-monolith/MIGRATION.md", "mentions"),
        ("legacy-monolith/monolith/handlers/stock.py#adjust_stock", "mentions"),
    },
    "payments-api/ADR-0002": {("payments-api/payments/ledger.py#Ledger", "implements")},
    "payments-api/ADR-0042": {
        ("billing-service/billing/dunning.py#DunningRun.collect", "mentions"),
        ("payments-api/payments/idempotency.py#IdempotencyStore.once", "implements"),
        ("web-frontend/src/hooks/usePayment.ts#usePayment.pay", "mentions"),
    },
}


@pytest.fixture(scope="module")
def acme(examples: Organization) -> Organization:
    """The examples once the policies have been checked."""
    wait_until(lambda: len(found_violations(examples)) >= len(VIOLATIONS))
    return examples


def found_violations(acme: Organization) -> set[tuple[str, str, int, str]]:
    """Policy, code, line and first line of the text of every match of the examples' policies.

    Another module may have added a policy of its own.
    """
    return {
        (row["policy"], row["code"]["id"], match["start_line"], match["text"].splitlines()[0])
        for project in PROJECTS
        for row in acme.get("graph/violations", project=project)["violations"]
        if row["policy"] in POLICIES
        for match in row["edge"]["properties"]["matches"]
    }


def edges_of(acme: Organization, node: str, **query: Any) -> list[dict[str, Any]]:
    edges: list[dict[str, Any]] = acme.get("graph/traverse", **{"from": node}, **query)["edges"]
    return edges


def test_every_record_of_the_examples_is_a_node(acme: Organization) -> None:
    nodes = acme.get("graph/nodes", kind="knowledge", limit="200")["nodes"]

    assert len(record_ids()) >= 5
    assert record_ids() <= {node["id"] for node in nodes}
    assert {node["status"] for node in nodes if node["id"] in record_ids()} == {"accepted"}


@pytest.mark.parametrize("record", sorted(record_ids()))
def test_code_that_names_a_record_is_linked_to_it(acme: Organization, record: str) -> None:
    edges = edges_of(acme, record, types=["implements", "mentions"], direction="in")

    found = {(edge["source"].removeprefix("code:"), edge["type"]) for edge in edges}
    assert {one for one in found if one[0].partition("/")[0] in PROJECTS} == NAMED[record]


def test_a_number_in_two_repositories_is_two_records(acme: Organization) -> None:
    answer = acme.get("graph/traverse", **{"from": "ADR-2"})

    assert {"auth-service/ADR-0002", "payments-api/ADR-0002"} <= set(answer["roots"])


def test_policies_find_what_a_person_reads_and_nothing_else(acme: Organization) -> None:
    wanted = {(row["policy"], row["code"], row["line"], row["text"]) for row in VIOLATIONS}

    assert found_violations(acme) == wanted
    assert {row["policy"] for row in VIOLATIONS} == POLICIES
    assert len(POLICIES) >= 3


@pytest.mark.parametrize("link", KNOWLEDGE["link"], ids=lambda link: f"{link['from']} {link['to']}")
def test_every_link_leads_to_what_is_there(acme: Organization, link: dict[str, str]) -> None:
    [edge] = [
        edge
        for edge in edges_of(acme, link["from"], types=[link["type"]], direction="out")
        if edge["target"] == link["to"]
    ]

    assert (edge["source"], edge["origin"]) == (link["from"], "explicit")
    for end in (link["from"], link["to"]):
        [node] = acme.get(f"graph/nodes/{quote(end, safe='')}")["nodes"]
        assert not node["missing"]


def test_a_record_leads_over_its_code_to_a_memory(acme: Organization) -> None:
    answer = acme.get("graph/traverse", **{"from": "ADR-042", "depth": "2"})

    found = {one["node"]["id"]: one["distance"] for one in answer["nodes"]}
    assert found["mem-double-charge"] == 2


def test_handlers_that_have_moved_are_not_left_to_migrate(acme: Organization) -> None:
    answer = acme.get("graph/unmigrated", project="legacy-monolith", path="monolith/handlers/")

    left = {node["qualified_name"] for node in answer["code"]}
    assert {"handle_return", "adjust_stock", "export_journal"} <= left
    assert left.isdisjoint({"handle_login", "handle_logout", "process_payment", "redeem_voucher"})
