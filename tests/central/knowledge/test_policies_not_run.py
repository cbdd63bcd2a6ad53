"""Policies that take too much, or are beyond bounds that came later, are set aside and named."""

from typing import Any

import pytest

from central.knowledge import rules
from central.knowledge.models import Policy, PolicyCheck
from central.knowledge.services import catch_up as catching_up
from central.knowledge.services import policy_checks
from central.knowledge.services.catch_up import KnowledgeGraph
from central.maintenance.reconcile import reconcile
from central.repositories.models import Repository
from indexer.errors import StoreError
from tests.central.factories import OrganizationFactory
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import created, graph
from tests.central.knowledge.test_policies import (
    CALM,
    NO_PANIC,
    PANICS,
    slow_policy,
    violations,
)
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

OVER_LIMIT = 2


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Api:
    monkeypatch.setattr(policy_checks, "POLICY_FILES_OVER_LIMIT", OVER_LIMIT)
    return api_of()


def over_bounds(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """A policy that was stored before its bounds were, and one that is within them."""
    created(api, **NO_PANIC)
    created(api, **NO_PANIC | {"id": "POL-2"})
    long = f"{NO_PANIC['policy']['rule']} # {'x' * 200}"
    Policy.objects.filter(document__public_id="POL-1").update(rule=long)
    monkeypatch.setattr(rules, "RULE_BYTES", 200)


def not_run(api: Api) -> list[tuple[str, str]]:
    answer = graph(api, "GET", "violations?project=shop").json()
    return [(one["policy"], one["reason"]) for one in answer["not_run"]]


def test_a_stored_rule_over_the_bounds_is_kept_and_not_run_and_hinders_no_other(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    over_bounds(api, monkeypatch)
    index_files(api, {"src/main.rs": PANICS})
    assert violations() == [("src/main.rs", "start")]  # of the other one
    ((policy, reason),) = not_run(api)
    assert policy == "POL-1"
    assert "at most 200 bytes. Divide it" in reason
    (node,) = graph(api, "GET", "nodes/POL-1").json()["nodes"]
    assert node["policy"]["not_run"] == [{"reason": reason, "projects": ["shop"]}]
    assert node["policy"]["rule"].endswith("xxx")
    (status,) = api.status().json()["projects"]
    assert status["policies_not_run"] == ["POL-1"]


def test_it_is_run_again_once_it_is_changed(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    over_bounds(api, monkeypatch)
    index_files(api, {"src/main.rs": PANICS})
    graph(api, "PATCH", "nodes/POL-1", {"rule": NO_PANIC["policy"]["rule"]})
    assert not_run(api) == []
    KnowledgeGraph().follow()
    assert violations() == [("src/main.rs", "start")] * 2


def test_what_it_found_before_is_removed_when_it_is_next_to_be_checked(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"src/main.rs": PANICS}
    created(api, **NO_PANIC)
    index_files(api, files)
    assert violations() == [("src/main.rs", "start")]
    monkeypatch.setattr(rules, "RULE_BYTES", 10)
    rules.parse_rule.cache_clear()
    index_files(api, files | {"src/calm.rs": CALM})
    assert violations() == []
    assert [policy for policy, _ in not_run(api)] == ["POL-1"]


def test_only_those_who_see_a_policy_or_a_project_learn_that_it_is_not_run(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    over_bounds(api, monkeypatch)
    index_files(api, {"src/main.rs": PANICS})
    index_files(api, {"src/main.rs": PANICS}, project="billing")
    limited = api_of(api.organization, repositories=["billing"])
    assert [one["policies_not_run"] for one in limited.status().json()["projects"]] == [[]]
    assert graph(limited, "GET", "violations?project=billing").json()["not_run"] == []
    (node,) = graph(api, "GET", "nodes/POL-1").json()["nodes"]
    assert node["policy"]["not_run"][0]["projects"] == ["billing", "shop"]


@pytest.mark.usefixtures("matching_stand_in")
def test_a_rule_that_is_given_up_in_some_files_is_tried_in_no_further_one(api: Api) -> None:
    created(api, **NO_PANIC)
    slow_policy(api)
    files = {f"src/{name}.rs": PANICS for name in "abcd"}
    index_files(api, files)
    assert len(violations()) == 4
    check = PolicyCheck.objects.get(policy__document__public_id="POL-2")
    assert len(check.over_limit) == OVER_LIMIT
    ((policy, reason),) = not_run(api)
    assert policy == "POL-2"
    assert "Shorten the rule, or exclude the files" in reason
    index_files(api, files | {"src/e.rs": PANICS})
    check.refresh_from_db()
    assert len(check.over_limit) == OVER_LIMIT
    assert not any(one.differing for one in reconcile(repair=False).repositories)


@pytest.mark.usefixtures("matching_stand_in")
@pytest.mark.parametrize("content", [f"// @generated\n{PANICS}", None], ids=["changed", "deleted"])
def test_it_is_tried_again_once_one_of_these_files_is_changed(
    api: Api, content: str | None
) -> None:
    slow_policy(api)
    files = {f"src/{name}.rs": PANICS for name in "ab"} | {"x.md": "x\n"}
    index_files(api, files)
    assert not_run(api)
    if content:
        files["src/a.rs"] = content
    else:
        del files["src/a.rs"]
    index_files(api, files)
    assert not_run(api) == []
    assert PolicyCheck.objects.get().over_limit == ["src/b.rs"]


@pytest.mark.usefixtures("matching_stand_in")
def test_slow_rules_of_one_organisation_delay_the_graph_of_another_by_one_turn(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = api_of(OrganizationFactory.create(slug="other"))
    for each in (api, other):
        index_files(each, {f"src/{name}.rs": PANICS for name in "ab"})
        created(each, **NO_PANIC)
    slow_policy(api)
    turns: list[str] = []
    check = catching_up.check_policies

    def noting(repository: Repository, *rest: Any, **options: Any) -> None:
        turns.append(repository.organization.slug)
        check(repository, *rest, **options)

    monkeypatch.setattr(catching_up, "check_policies", noting)
    monkeypatch.setattr(catching_up, "GRAPH_TURN_SECONDS", 0)
    KnowledgeGraph().follow()
    assert turns[:3] == ["acme", "other", "acme"]
    assert len(violations()) == 4
    assert [policy for policy, _ in not_run(api)] == ["POL-2"]


def test_what_fails_takes_one_turn_of_its_organisation(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    created(api, **NO_PANIC)
    tried: list[str] = []
    link = catching_up._link_code

    def failing(repository: Repository, *rest: Any) -> None:
        tried.append(repository.name)
        if repository.name == "first":
            raise StoreError("gone")
        link(repository, *rest)

    monkeypatch.setattr(catching_up, "_link_code", failing)
    monkeypatch.setattr(catching_up, "GRAPH_TURN_SECONDS", 0)
    api.index({"a.rs": PANICS}, project="first")
    index_files(api, {"src/main.rs": PANICS})
    assert violations() == [("src/main.rs", "start")]
    assert tried.count("first") == 1
