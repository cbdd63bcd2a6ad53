"""ADRs, policies and links written by hand in the admin."""

from typing import Any

import pytest
from django.test import Client

from central.knowledge.models import Document, Edge, Policy
from central.knowledge.services import documents
from central.knowledge.services.catch_up import KnowledgeGraph
from central.tenancy.models import AuditEntry
from tests.central.admin import superuser
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, graph
from tests.central.knowledge.test_policies import NO_PANIC, PANICS, START
from tests.central.knowledge.test_records import FILES as RECORDS
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

DOCUMENTS = "/admin/knowledge/document/"
EDGES = "/admin/knowledge/edge/"


@pytest.fixture
def api() -> Api:
    return api_of()


@pytest.fixture
def admin() -> Client:
    return superuser()


def written(admin: Client, api: Api, path: str = "add/", **members: Any) -> str:
    """What the form answers: "" if it was saved, else the page."""
    values = {
        "organization": api.organization.pk,
        "kind": "knowledge",
        "public_id": "ADR-7",
        "title": "Queue refunds",
        "body": "Because *they fail*.",
        "properties": "{}",
        "policy-TOTAL_FORMS": 0,
        "policy-INITIAL_FORMS": 0,
    }
    answer = admin.post(f"{DOCUMENTS}{path}", values | members)
    return "" if answer.status_code == 302 else answer.content.decode()


def rule(**members: Any) -> dict[str, Any]:
    values = NO_PANIC["policy"] | {"include": "[]", "exclude": "[]"} | members
    return {"policy-TOTAL_FORMS": 1} | {f"policy-0-{name}": value for name, value in values.items()}


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def test_an_adr_written_in_the_admin_is_a_node_of_the_api(admin: Client, api: Api) -> None:
    assert written(admin, api) == ""
    (node,) = graph(api, "GET", "nodes/ADR-007").json()["nodes"]
    assert (node["title"], node["version"]) == ("Queue refunds", 1)
    assert actions() == ["node.created"]


def test_a_policy_written_in_the_admin_is_checked(admin: Client, api: Api) -> None:
    index_files(api, {"src/main.rs": PANICS})
    assert written(admin, api, kind="policy", public_id="POL-9", **rule()) == ""
    KnowledgeGraph().follow()
    assert Edge.objects.get(type="violates").source.qualified_name == "start"


def test_a_rule_that_cannot_be_matched_is_refused_with_its_place(admin: Client, api: Api) -> None:
    page = written(admin, api, kind="policy", **rule(rule="rule: {patern: x}"))
    assert "patern" in page
    assert not Document.objects.exists()


def test_a_policy_needs_a_rule_and_an_adr_has_none(admin: Client, api: Api) -> None:
    assert "A policy needs a rule" in written(admin, api, kind="policy")
    assert "Only a policy has a rule" in written(admin, api, **rule())
    assert not Document.objects.exists()


def test_a_form_without_a_kind_is_shown_again(admin: Client, api: Api) -> None:
    assert "This field is required" in written(admin, api, kind="")
    assert not Document.objects.exists()


def test_one_policy_too_many_is_refused(
    admin: Client, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "POLICIES", 1)
    created(api, **NO_PANIC)
    page = written(admin, api, kind="policy", public_id="POL-9", **rule())
    assert "at most 1 policies" in page
    assert Policy.objects.count() == 1
    answer = graph(api, "POST", "nodes", NO_PANIC | {"id": "POL-8"})
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_policies")


def test_what_somebody_else_wrote_meanwhile_is_not_lost(admin: Client, api: Api) -> None:
    created(api, **ADR)
    document = Document.objects.get()
    path = f"{document.pk}/change/"
    graph(api, "PATCH", "nodes/ADR-042", {"title": "Use SQLite"})
    page = written(admin, api, path, title="Use MySQL", seen_version=1)
    assert "Another person changed this" in page
    assert Document.objects.get().title == "Use SQLite"
    assert written(admin, api, path, title="Use MySQL", seen_version=2) == ""
    assert (Document.objects.get().title, Document.objects.get().version) == ("Use MySQL", 3)


@pytest.mark.parametrize("properties", ["[1]", '{"a": "%s"}' % ("x" * 20_000)])
def test_properties_are_an_object_within_their_bound(
    admin: Client, api: Api, properties: str
) -> None:
    assert "Properties" in written(admin, api, properties=properties)
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    "patterns", ['"abc"', "[1]", '[["x"]]', "123", "true", '["!"]', '{"a": 1}']
)
def test_patterns_of_paths_are_those_of_the_api(admin: Client, api: Api, patterns: str) -> None:
    page = written(admin, api, kind="policy", **rule(include=patterns))
    assert "A list of patterns" in page
    assert not Policy.objects.exists()


@pytest.mark.parametrize("public_id", ["code:shop/src/main.rs", "shop/ADR-42", "../x"])
def test_an_id_of_something_else_is_refused(admin: Client, api: Api, public_id: str) -> None:
    assert written(admin, api, public_id=public_id) != ""
    assert not Document.objects.exists()


def link(admin: Client, api: Api, **members: Any) -> str:
    values = {
        "organization": api.organization.pk,
        "source_id_text": START,
        "type": "implements",
        "target_id_text": "ADR-42",
        "properties": "{}",
    }
    answer = admin.post(f"{EDGES}add/", values | members)
    return "" if answer.status_code == 302 else answer.content.decode()


def test_a_link_is_made_and_deleted(admin: Client, api: Api) -> None:
    index_files(api, {"src/main.rs": PANICS})
    created(api, **ADR)
    assert link(admin, api, weight="0.5") == ""
    edge = Edge.objects.get(type="implements")
    assert (edge.source.qualified_name, edge.weight, edge.origin) == ("start", 0.5, "explicit")
    assert edge.author == "user root"
    assert "There is this edge already" in link(admin, api)
    assert admin.get(f"{EDGES}{edge.pk}/change/").status_code == 200
    admin.post(f"{EDGES}{edge.pk}/delete/", {"post": "yes"})
    assert not Edge.objects.filter(type="implements").exists()
    assert [name for name in actions() if name.startswith("edge")] == [
        "edge.created",
        "edge.deleted",
    ]


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"target_id_text": "ADR-43"}, "There is no node ADR-43"),
        ({"target_id_text": START}, "cannot be linked to itself"),
        ({"type": "violates"}, "A type is"),
        ({"weight": "2"}, "less than or equal to 1"),
    ],
)
def test_a_link_that_the_api_refuses_is_refused_here(
    admin: Client, api: Api, members: dict[str, str], says: str
) -> None:
    index_files(api, {"src/main.rs": PANICS})
    created(api, **ADR)
    assert says in link(admin, api, **members)
    assert not Edge.objects.filter(origin="explicit").exists()


def test_an_edge_that_follows_from_code_is_not_deleted_here(admin: Client, api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS})
    edge = Edge.objects.get(type="violates")
    assert admin.post(f"{EDGES}{edge.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Edge.objects.filter(pk=edge.pk).exists()


def test_a_record_of_a_repository_is_shown_and_not_changed(admin: Client, api: Api) -> None:
    index_files(api, RECORDS)
    document = Document.objects.get()
    page = admin.get(f"{DOCUMENTS}{document.pk}/change/")
    assert page.status_code == 200
    assert "docs/adr/0042-use-postgresql.md" in page.content.decode()
    assert admin.post(f"{DOCUMENTS}{document.pk}/change/", {"title": "Mine"}).status_code == 403
