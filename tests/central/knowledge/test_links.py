"""Links between any two nodes, and walks along them."""

from typing import Any
from urllib.parse import quote, urlencode

import pytest

from central.knowledge.models import Edge
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, graph, linked, reached
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

LOGIN = {"src/auth/login.rs": "def sign_in\n", "src/main.rs": "def main\n"}
FILE = "code:shop/src/auth/login.rs"


@pytest.fixture
def api() -> Api:
    api = api_of()
    api.index(LOGIN)
    return api


def test_explicit_link_by_agent(api: Api) -> None:
    created(api, kind="memory", id="mem-123", title="Sign-in is retried twice")
    body = {"from": "mem-123", "to": "code:src/auth/login.rs", "type": "derived_from"}
    answer = graph(api, "POST", "links", body)
    assert answer.status_code == 201, answer.content
    assert answer.json()["source"] == "mem-123"
    assert answer.json()["target"] == FILE
    again = graph(api, "POST", "links", body | {"weight": 0.5})
    assert (again.status_code, again.json()["weight"]) == (200, 0.5)
    assert Edge.objects.count() == 1


def test_find_code_implementing_adr(api: Api) -> None:
    created(api, **ADR)
    linked(api, f"{FILE}#f1", "implements", "ADR-042")
    linked(api, "code:src/main.rs", "implements", "ADR-042")
    linked(api, "code:src/main.rs", "mentions", "ADR-042")
    assert reached(api, "ADR-042", types="implements") == {f"{FILE}#f1", "code:shop/src/main.rs"}


def test_find_memories_related_to_code(api: Api) -> None:
    for number, place in ((1, FILE), (2, f"{FILE}#f1")):
        created(api, kind="memory", id=f"mem-{number}", title="Something")
        linked(api, f"mem-{number}", "derived_from", place)
    assert reached(api, "code:src/auth/login.rs", direction="in") == {"mem-1", "mem-2"}
    assert reached(api, "code:src/auth/login.rs", direction="out") == set()


def test_a_walk_is_cut_at_its_limit_nearest_nodes_first(api: Api) -> None:
    for name in ("far-1", "mem-1", "mem-2", "mem-3"):
        created(api, kind="memory", id=name, title="Something")
    linked(api, "far-1", "related_to", "mem-1")  # the oldest link is not the nearest one
    for number in (1, 2, 3):
        linked(api, f"mem-{number}", "derived_from", FILE)
    for limit in (1, 3, 4):
        asked = urlencode({"from": FILE, "depth": 2, "limit": limit})
        answer = graph(api, "GET", f"traverse?{asked}").json()
        found = [node["distance"] for node in answer["nodes"] if node["distance"]]
        assert (len(found), answer["truncated"]) == (limit, limit < 4)
        assert found == sorted(found)
        assert found[:3] == [1, 1, 1][:limit]
        ends = {node["node"]["id"] for node in answer["nodes"]}
        assert {end for edge in answer["edges"] for end in (edge["source"], edge["target"])} <= ends


def test_every_end_of_an_edge_of_a_walk_is_among_its_nodes(api: Api) -> None:
    created(api, kind="memory", id="mem-1", title="Something")
    linked(api, "mem-1", "derived_from", f"{FILE}#f1")
    answer = graph(api, "GET", f"traverse?{urlencode({'from': FILE})}").json()
    assert [(one["node"]["id"], one["distance"]) for one in answer["nodes"]] == [
        (FILE, 0),
        (f"{FILE}#f1", 0),
        ("mem-1", 1),
    ]


def test_multi_hop_traversal(api: Api) -> None:
    created(api, **ADR)
    created(api, kind="memory", id="mem-1", title="Learnt while writing it")
    linked(api, FILE, "implements", "ADR-042")
    linked(api, "mem-1", "derived_from", f"{FILE}#f1")
    assert reached(api, "ADR-042") == {FILE}
    assert reached(api, "ADR-042", depth=2) == {FILE, f"{FILE}#f1", "mem-1"}


def test_a_walk_ends_in_a_cycle(api: Api) -> None:
    for name in ("mem-1", "mem-2", "mem-3"):
        created(api, kind="memory", id=name, title=name)
    for source, target in (("mem-1", "mem-2"), ("mem-2", "mem-3"), ("mem-3", "mem-1")):
        linked(api, source, "related_to", target)
    assert reached(api, "mem-1", depth=5) == {"mem-2", "mem-3"}
    assert reached(api, "mem-1", depth=1, direction="out") == {"mem-2"}


def test_a_link_outlives_a_re_index_and_what_is_gone_shows_as_missing(api: Api) -> None:
    created(api, **ADR)
    linked(api, f"{FILE}#f1", "implements", "ADR-042")
    changed = LOGIN | {"src/auth/login.rs": "def sign_in differently\n"}
    api.index(changed)
    assert reached(api, "ADR-042") == {f"{FILE}#f1"}
    api.index({"src/main.rs": "def main\n"})
    answer = graph(api, "GET", "traverse?from=ADR-042").json()
    (found,) = (item["node"] for item in answer["nodes"] if item["distance"])
    assert (found["id"], found["missing"]) == (f"{FILE}#f1", True)


def test_a_path_of_two_repositories_is_ambiguous(api: Api) -> None:
    api.index(LOGIN, project="billing")
    created(api, **ADR)
    body = {"from": "code:src/main.rs", "to": "ADR-042", "type": "implements"}
    answer = graph(api, "POST", "links", body)
    assert_problem(answer, 409, "node_ambiguous")
    assert answer.json()["candidates"] == ["code:billing/src/main.rs", "code:shop/src/main.rs"]


BAD_LINKS: tuple[tuple[dict[str, Any], int, str], ...] = (
    ({"to": "ADR-042"}, 400, "self_link"),
    ({"type": "Implements!"}, 400, "invalid_edge_type"),
    ({"type": "violates"}, 400, "invalid_edge_type"),
    ({"to": "mem-77"}, 404, "node_not_found"),
    ({"to": "code:src/nowhere.rs"}, 404, "node_not_found"),
    ({"to": f"{FILE}#nothing"}, 404, "node_not_found"),
    ({"to": "??"}, 400, "invalid_node_id"),
    ({"weight": 2.0}, 400, "invalid"),
)


def test_bad_links_are_refused_with_a_code(api: Api, subtests: pytest.Subtests) -> None:
    created(api, **ADR)
    for members, status, code in BAD_LINKS:
        with subtests.test(**members):
            body = {"from": "ADR-042", "to": FILE, "type": "implements"} | members
            assert_problem(graph(api, "POST", "links", body), status, code)
            assert not Edge.objects.exists()


def test_edges_to_code_that_is_not_visible_do_not_exist(api: Api) -> None:
    api.index({"b.py": "x\n"}, project="billing")
    created(api, **ADR, project="billing")
    linked(api, FILE, "implements", "ADR-042")
    limited = api_of(api.organization, repositories=["billing"])
    answer = graph(limited, "GET", "nodes/ADR-042").json()
    assert answer["edges"] == []
    assert reached(limited, "ADR-042", depth=3) == set()
    hidden = graph(limited, "GET", "traverse?from=code:shop/src/main.rs")
    assert_problem(hidden, 404, "node_not_found")


def test_a_link_can_be_taken_back(api: Api) -> None:
    created(api, **ADR)
    linked(api, FILE, "implements", "ADR-042")
    body = {"from": FILE, "to": "ADR-042", "type": "implements"}
    assert graph(api, "DELETE", "links", body).status_code == 204
    assert reached(api, "ADR-042") == set()
    assert_problem(graph(api, "DELETE", "links", body), 404, "edge_not_found")


def test_lines_name_the_definition_around_them(api: Api) -> None:
    created(api, **ADR)
    linked(api, f"{FILE}#L1", "implements", "ADR-042")
    assert reached(api, "ADR-042") == {f"{FILE}#f1"}


def test_a_file_elsewhere_does_not_take_the_id_of_a_project_s_definition(api: Api) -> None:
    index_files(api, {"pay.py": "def refund():\n    pass\n"})
    index_files(api, {"shop/pay.py#refund": "hostile\n"}, project="zz")
    name = "code:shop/pay.py#refund"
    (node,) = graph(api, "GET", f"nodes/{quote(name, safe='')}").json()["nodes"]
    assert (node["project"], node["kind"]) == ("shop", "code_symbol")
