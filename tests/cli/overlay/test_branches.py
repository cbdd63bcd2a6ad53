"""Uncommitted work is of no branch that a request names: the service alone answers."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from aeterna_code_search.cli.overlay.search_api import OverlaySearchApi
from aeterna_code_search.cli.overlay.worktree import WorkTree
from aeterna_code_search.client.api import ServiceApi


def unused(*_: Any) -> Any:
    raise AssertionError("the work tree was looked at")


SERVICE = SimpleNamespace(search=lambda body: body, trace=lambda what, asked: {what: asked})
API = OverlaySearchApi(
    cast(ServiceApi, SERVICE), cast(WorkTree, SimpleNamespace(project="shop", watched=unused))
)


@pytest.mark.parametrize(
    "body",
    [
        {"query": "retry", "ref": "release/1"},
        {"query": "rev:release/1 retry"},
        {"query": "-rev:main retry"},
        {"queries": ["retry", "repo:shop@release/1 retry"]},
        {"query": "r:shop@release/1 retry"},
    ],
)
def test_a_search_on_branches_is_the_service_s_alone(body: dict[str, Any]) -> None:
    assert API.search(body) == body


def test_a_trace_on_a_branch_is_the_service_s_alone() -> None:
    asked = {"symbol": "retry", "project": "shop", "ref": "release/1"}
    assert API.trace("callers", asked) == {"callers": asked}


@pytest.mark.parametrize("query", ["retry", "user@example.com retry", "prev:x", "repo:shop retry"])
def test_other_searches_look_at_the_work_tree(query: str) -> None:
    with pytest.raises(AssertionError, match="looked at"):
        API.search({"query": query})
