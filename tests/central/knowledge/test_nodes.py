"""Documents over HTTP: created, read, changed, deleted, listed."""

import json
from typing import Any
from urllib.parse import quote

import pytest
from django.utils import timezone

from central.knowledge.models import Document
from central.tenancy.models import AuditEntry, Scope
from tests.central.knowledge.graph import ADR, created, graph
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return api_of()


def test_a_document_is_created_and_read(api: Api) -> None:
    answer = graph(api, "POST", "nodes", ADR)
    assert answer.status_code == 201, answer.content
    (node,) = answer.json()["nodes"]
    assert (node["id"], node["kind"], node["project"]) == ("ADR-042", "knowledge", None)
    assert node["body"] == ADR["body"]
    read = graph(api, "GET", "nodes/ADR-042")
    assert read.json()["nodes"] == [node]
    assert read["ETag"] == '"1"'


@pytest.mark.parametrize("same", ["ADR-42", "adr-0042", "ADR-042"])
def test_ids_differ_neither_by_case_nor_by_zeros(api: Api, same: str) -> None:
    created(api, **ADR)
    assert graph(api, "GET", f"nodes/{same}").json()["nodes"][0]["id"] == "ADR-042"
    assert_problem(graph(api, "POST", "nodes", ADR | {"id": same}), 409, "node_exists")


def test_a_change_counts_the_version_up_and_leaves_the_rest(api: Api) -> None:
    created(api, **ADR)
    answer = graph(api, "PATCH", "nodes/ADR-042", {"title": "Use SQLite"}, **{"If-Match": '"1"'})
    assert answer.status_code == 200, answer.content
    (node,) = answer.json()["nodes"]
    assert (node["title"], node["body"], node["version"]) == ("Use SQLite", ADR["body"], 2)


def test_an_update_of_what_was_changed_meanwhile_is_refused(api: Api) -> None:
    created(api, **ADR)
    graph(api, "PATCH", "nodes/ADR-042", {"title": "First"})
    late = graph(api, "PATCH", "nodes/ADR-042", {"title": "Late"}, **{"If-Match": '"1"'})
    assert_problem(late, 412, "version_conflict")
    assert late.json()["version"] == 2
    assert graph(api, "GET", "nodes/ADR-042").json()["nodes"][0]["title"] == "First"
    deleted = graph(api, "DELETE", "nodes/ADR-042", **{"If-Match": '"1"'})
    assert_problem(deleted, 412, "version_conflict")


def test_a_deleted_document_is_gone(api: Api) -> None:
    created(api, **ADR)
    assert graph(api, "DELETE", "nodes/ADR-042").status_code == 204
    assert_problem(graph(api, "GET", "nodes/ADR-042"), 404, "node_not_found")


def test_every_write_is_in_the_audit_log(api: Api) -> None:
    created(api, **ADR)
    graph(api, "PATCH", "nodes/ADR-042", {"title": "Other"})
    graph(api, "DELETE", "nodes/ADR-042")
    entries = AuditEntry.objects.filter(organization=api.organization.slug).order_by("pk")
    assert [(entry.action, entry.target) for entry in entries] == [
        ("node.created", "ADR-042"),
        ("node.changed", "ADR-042"),
        ("node.deleted", "ADR-042"),
    ]
    assert entries[0].actor.startswith(f"token {api.token[:12]}")


def test_a_bare_id_of_two_projects_is_answered_with_both(api: Api) -> None:
    for project in ("billing", "shop"):
        api.index({"a.py": "x\n"}, project=project)
        created(api, **ADR, project=project)
    answer = graph(api, "GET", "nodes/ADR-042").json()
    assert [node["id"] for node in answer["nodes"]] == ["billing/ADR-042", "shop/ADR-042"]
    one = graph(api, "GET", f"nodes/{quote('shop/ADR-42', safe='')}").json()
    assert [node["id"] for node in one["nodes"]] == ["shop/ADR-042"]
    ambiguous = graph(api, "PATCH", "nodes/ADR-042", {"title": "Which?"})
    assert_problem(ambiguous, 409, "node_ambiguous")
    assert ambiguous.json()["candidates"] == ["billing/ADR-042", "shop/ADR-042"]


def test_lists_are_paged_and_filtered(api: Api) -> None:
    for number in range(5):
        created(api, kind="memory", id=f"mem-{number}", title=f"Memory {number}")
    created(api, **ADR)
    first = graph(api, "GET", "nodes?kind=memory&limit=3").json()
    rest = graph(api, "GET", f"nodes?kind=memory&limit=3&cursor={first['next_cursor']}").json()
    found = [node["id"] for answer in (first, rest) for node in answer["nodes"]]
    assert found == [f"mem-{number}" for number in range(5)]
    assert rest["next_cursor"] is None
    Document.objects.filter(public_id="mem-1").update(archived_at=timezone.now())
    gone = graph(api, "GET", "nodes?archived=true").json()
    assert [node["id"] for node in gone["nodes"]] == ["mem-1"]
    there = graph(api, "GET", "nodes?archived=false&kind=memory").json()
    assert "mem-1" not in {node["id"] for node in there["nodes"]}
    named = graph(api, "GET", "nodes?query=postgre").json()
    assert [node["id"] for node in named["nodes"]] == ["ADR-042"]


def test_only_the_whole_organisation_sees_what_is_of_no_project(api: Api) -> None:
    api.index({"a.py": "x\n"})
    created(api, **ADR)
    created(api, kind="memory", id="mem-1", title="Of the shop", project="shop")
    limited = api_of(api.organization, repositories=["shop"])
    assert_problem(graph(limited, "GET", "nodes/ADR-042"), 404, "node_not_found")
    listed = graph(limited, "GET", "nodes").json()
    assert [node["id"] for node in listed["nodes"]] == ["shop/mem-1"]
    refused = graph(limited, "POST", "nodes", ADR | {"id": "ADR-7"})
    assert_problem(refused, 403, "project_required")


def test_writing_needs_the_scope_index(api: Api) -> None:
    reader = api_of(api.organization, scopes=[Scope.SEARCH])
    assert_problem(graph(reader, "POST", "nodes", ADR), 403, "insufficient_scope")


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"body": "x" * 262_145}, "body_too_large"),
        ({"properties": {"a": "x" * 20_000}}, "properties_too_large"),
        ({"id": "code:x"}, "invalid_node_id"),
        ({"id": "shop/ADR-1"}, "invalid_node_id"),
        ({"title": ""}, "invalid"),
        ({"kind": "code_file"}, "invalid"),
        ({"surprise": 1}, "invalid"),
        ({"policy": {"rule": "rule: {pattern: f()}", "language": "python"}}, "invalid_rule"),
        ({"kind": "policy"}, "invalid_rule"),
        ({"title": "nul \0"}, "invalid"),
    ],
)
def test_bad_input_is_refused_with_a_code(api: Api, members: dict[str, Any], code: str) -> None:
    answer = graph(api, "POST", "nodes", ADR | members)
    assert_problem(answer, 400, code)
    assert graph(api, "GET", "nodes").json()["count"] == 0


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("rule:\n  pattern: [", "At line"),
        ("rule:\n  kind: nonsense", "Kind `nonsense` is invalid"),
        ("rule:\n  regex: '('", "unclosed group"),
        ("pattern: f()", "a member 'rule'"),
        ("rule: {matches: nope}", "`nope` is not defined"),
        ("a: &a [x]\nrule: *a", "without YAML aliases"),
        (f"rule: {'{not: ' * 30}{{pattern: f()}}{'}' * 30}", "levels deep"),
        ("rule: {pattern: f()}\nfix: g()", "Unknown: fix"),
    ],
)
def test_a_rule_is_validated_when_it_is_saved(api: Api, rule: str, says: str) -> None:
    policy = {"rule": rule, "language": "python"}
    answer = graph(api, "POST", "nodes", {"kind": "policy", "title": "No", "policy": policy})
    assert_problem(answer, 400, "invalid_rule")
    assert says in answer.json()["detail"]


def test_a_policy_s_rule_can_be_changed_alone(api: Api) -> None:
    policy = {"rule": "rule: {pattern: f()}", "language": "python"}
    created(api, kind="policy", id="POL-1", title="No f", policy=policy)
    change = {"rule": "rule: {pattern: g()}", "severity": "error"}
    (node,) = graph(api, "PATCH", "nodes/POL-1", change).json()["nodes"]
    assert node["policy"]["rule"] == "rule: {pattern: g()}"
    assert (node["policy"]["severity"], node["policy"]["language"]) == ("error", "python")
    assert json.dumps(node)


def test_properties_that_cannot_be_stored_are_refused(api: Api) -> None:
    deep: Any = "x"
    for _ in range(900):
        deep = [deep]
    for properties in ({"a": "\0"}, {"\0": 1}, {"a": deep}):
        assert_problem(
            graph(api, "POST", "nodes", ADR | {"properties": properties}), 400, "invalid"
        )
    assert not Document.objects.exists()
