"""Policies: what code violates them, kept up with code and rules."""

from typing import Any

import pytest

from central.knowledge.models import Edge, Policy, PolicyCheck
from central.knowledge.services.catch_up import KnowledgeGraph
from central.repositories.models import Repository
from tests.central import limited_child
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import created, graph
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

PANICS = 'fn start() {\n    // panic!() is not for production\n    panic!("now");\n}\n'
CALM = 'fn start() {\n    let hint = "panic!()";\n    println!("{}", hint);\n}\n'
NO_PANIC: dict[str, Any] = {
    "kind": "policy",
    "id": "POL-1",
    "title": "No panic!() in production code",
    "policy": {
        "rule": "rule: {pattern: 'panic!($$$)'}",
        "language": "rust",
        "exclude": ["tests/"],
        "severity": "error",
        "message": "Return an error instead.",
    },
}
START = "code:shop/src/main.rs#start"


@pytest.fixture
def api() -> Api:
    return api_of()


def violations() -> list[tuple[str, str]]:
    edges = Edge.objects.filter(type="violates").order_by("source__path")
    return [(edge.source.path, edge.source.qualified_name) for edge in edges]


def test_policy_violation_link(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS, "src/calm.rs": CALM, "tests/it.rs": PANICS})
    answer = graph(api, "GET", "traverse?from=POL-1&types=violates").json()
    assert [item["node"]["id"] for item in answer["nodes"] if item["distance"]] == [START]
    (edge,) = answer["edges"]
    assert edge["properties"]["matches"] == [
        {"start_line": 3, "end_line": 3, "text": 'panic!("now")'}
    ]


def test_code_that_is_fixed_violates_nothing(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS})
    assert violations() == [("src/main.rs", "start")]
    index_files(api, {"src/main.rs": CALM})
    assert violations() == []


def test_generated_code_violates_nothing(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS})
    assert violations() == [("src/main.rs", "start")]
    index_files(api, {"src/main.rs": f"// @generated\n{PANICS}"})
    assert violations() == []
    assert Repository.objects.get().generated == 1


def test_a_deleted_file_violates_nothing(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS, "a.rs": CALM})
    index_files(api, {"a.rs": CALM})
    assert violations() == []


def test_a_new_policy_is_checked_over_code_that_is_there(api: Api) -> None:
    index_files(api, {"src/main.rs": PANICS})
    created(api, **NO_PANIC)
    KnowledgeGraph().follow()
    assert violations() == [("src/main.rs", "start")]


def test_a_changed_rule_is_checked_again(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS, "tests/it.rs": PANICS})
    graph(api, "PATCH", "nodes/POL-1", {"exclude": []})
    KnowledgeGraph().follow()
    assert [path for path, _ in violations()] == ["src/main.rs", "tests/it.rs"]
    graph(api, "PATCH", "nodes/POL-1", {"rule": "rule: {pattern: 'todo!($$$)'}"})
    KnowledgeGraph().follow()
    assert violations() == []


def test_a_title_is_changed_without_a_check(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS})
    before = PolicyCheck.objects.values_list("rule_version", "file_id").get()
    graph(api, "PATCH", "nodes/POL-1", {"title": "Never panic"})
    KnowledgeGraph().follow()
    assert PolicyCheck.objects.values_list("rule_version", "file_id").get() == before


def test_a_policy_that_is_behind_leaves_the_others_edges(api: Api) -> None:
    """Files that one policy lacks are not new to another."""
    created(api, **NO_PANIC)
    index_files(api, {"src/main.rs": PANICS})
    created(api, **NO_PANIC | {"id": "POL-2"})
    KnowledgeGraph().follow()
    assert violations() == [("src/main.rs", "start")] * 2


@pytest.mark.usefixtures("matching_stand_in")
@pytest.mark.parametrize("hostile", [limited_child.SPIN, limited_child.ALLOCATE])
def test_a_file_that_takes_too_much_is_counted_and_hinders_no_other(api: Api, hostile: str) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"src/endless.rs": f"{PANICS}// {hostile}\n", "src/main.rs": PANICS})
    assert PolicyCheck.objects.get().over_limit == ["src/endless.rs"]
    assert violations() == [("src/main.rs", "start")]


def test_a_project_s_policy_holds_for_the_project(api: Api) -> None:
    index_files(api, {"src/main.rs": PANICS}, project="billing")
    created(api, **NO_PANIC, project="billing")
    index_files(api, {"src/main.rs": PANICS})
    KnowledgeGraph().follow()
    assert [edge.source.repository.name for edge in Edge.objects.filter(type="violates")] == [
        "billing"
    ]


@pytest.mark.parametrize("rule", ["pattern: !!binary ZXZhbA==", "pattern: 2026-01-01", "{1: x}"])
def test_a_rule_of_other_than_json_is_refused(api: Api, rule: str) -> None:
    policy = NO_PANIC["policy"] | {"rule": f"rule:\n  {rule}\n"}
    answer = graph(api, "POST", "nodes", NO_PANIC | {"policy": policy})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_rule")


def slow_policy(api: Api) -> None:
    """One that matches nothing, and makes the stand-in spin in every file that has a panic."""
    created(api, **NO_PANIC | {"id": "POL-2"})
    rule = f"rule: {{any: [{{pattern: 'panic!($$$)'}}, {{regex: '{limited_child.SPIN}'}}]}}"
    Policy.objects.filter(document__public_id="POL-2").update(rule=rule)


@pytest.mark.usefixtures("matching_stand_in")
def test_a_rule_that_takes_too_long_hides_no_other_s_violations(api: Api) -> None:
    created(api, **NO_PANIC)
    slow_policy(api)
    index_files(api, {"src/main.rs": PANICS})
    assert violations() == [("src/main.rs", "start")]
    over_limit = PolicyCheck.objects.values_list("policy__document__public_id", "over_limit")
    assert sorted(over_limit) == [("POL-1", []), ("POL-2", ["src/main.rs"])]


def test_no_violation_is_said_of_the_policies_for_the_languages_alone(api: Api) -> None:
    created(api, **NO_PANIC)
    index_files(api, {"a.py": "x = 1\n"})
    assert graph(api, "GET", "violations?project=shop").json()["hint"] == (
        "No policy is for a language of this project."
    )
    index_files(api, {"src/calm.rs": CALM})
    assert (
        "violates the policy for its languages"
        in (graph(api, "GET", "violations?project=shop").json()["hint"])
    )
