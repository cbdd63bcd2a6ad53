"""Decision records in repositories become nodes, and prose that names them becomes edges."""

from urllib.parse import quote

import pytest

from central.knowledge.services.catch_up import KnowledgeGraph
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, graph, reached
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

RECORD = "# 42. Use PostgreSQL\n\n## Status\n\nAccepted\n\n## Context\n\nOne database.\n"
STORE = (
    "def connect():\n"
    '    """Implements ADR-042: one pool for each process."""\n'
    "    return pool()\n\n\n"
    "# ADR-42 says why there is no cache here.\n"
    "def fetch():\n"
    '    return connect().fetch("ADR-042 in a string")\n'
)
FILES = {"docs/adr/0042-use-postgresql.md": RECORD, "shop/store.py": STORE}


@pytest.fixture
def api() -> Api:
    return api_of()


def test_a_record_in_a_repository_becomes_a_node(api: Api) -> None:
    index_files(api, FILES)
    (node,) = graph(api, "GET", "nodes/ADR-42").json()["nodes"]
    assert (node["id"], node["kind"]) == ("shop/ADR-0042", "knowledge")
    assert (node["title"], node["status"], node["path"]) == (
        "Use PostgreSQL",
        "accepted",
        "docs/adr/0042-use-postgresql.md",
    )
    refused = graph(api, "PATCH", "nodes/ADR-42", {"title": "Mine"})
    assert_problem(refused, 409, "node_from_file")


def test_a_record_changes_and_is_archived_with_its_file(api: Api) -> None:
    index_files(api, FILES)
    index_files(
        api, FILES | {"docs/adr/0042-use-postgresql.md": RECORD.replace("Accept", "Reject")}
    )
    assert graph(api, "GET", "nodes/ADR-42").json()["nodes"][0]["status"] == "rejected"
    index_files(api, {"shop/store.py": STORE})
    assert graph(api, "GET", "nodes/ADR-42").json()["nodes"][0]["archived"] is True
    index_files(api, FILES)
    assert graph(api, "GET", "nodes/ADR-42").json()["nodes"][0]["archived"] is False


def test_the_same_number_in_two_repositories_is_two_nodes(api: Api) -> None:
    for project in ("billing", "shop"):
        index_files(api, FILES, project=project)
    answer = graph(api, "GET", "nodes/ADR-0042").json()
    assert [node["id"] for node in answer["nodes"]] == ["billing/ADR-0042", "shop/ADR-0042"]
    own = graph(api, "GET", f"nodes/{quote('shop/ADR-42', safe='')}").json()
    assert {edge["source"] for edge in own["edges"] if edge["origin"] == "text"} == {
        "code:shop/shop/store.py#connect",
        "code:shop/shop/store.py#fetch",
    }


def test_prose_that_names_a_record_gives_edges(api: Api) -> None:
    index_files(api, FILES)
    assert reached(api, "ADR-42", types="implements") == {"code:shop/shop/store.py#connect"}
    assert reached(api, "ADR-42", types="mentions") == {"code:shop/shop/store.py#fetch"}


def test_prose_that_names_it_no_more_gives_none(api: Api) -> None:
    index_files(api, FILES)
    index_files(api, FILES | {"shop/store.py": "def fetch():\n    return 1\n"})
    assert reached(api, "ADR-42") == set()


def test_a_record_that_is_written_later_is_found_in_code(api: Api) -> None:
    index_files(api, {"shop/store.py": STORE})
    created(api, **ADR)
    KnowledgeGraph().follow()
    assert reached(api, "ADR-042", types="implements") == {"code:shop/shop/store.py#connect"}


def test_a_renamed_file_keeps_its_links(api: Api) -> None:
    plain = "def work():\n    return 1\n"
    index_files(api, {"a.py": plain})
    created(api, kind="memory", id="mem-1", title="Learnt")
    link = {"from": "mem-1", "to": "code:shop/a.py#work", "type": "derived_from"}
    assert graph(api, "POST", "links", link).status_code == 201
    index_files(api, {"b.py": plain})
    assert reached(api, "mem-1", types="derived_from") == {"code:shop/b.py#work"}
    index_files(api, {"c.py": plain, "d.py": plain})
    (node,) = (
        item["node"]
        for item in graph(api, "GET", "traverse?from=mem-1&types=derived_from").json()["nodes"]
        if item["distance"]
    )
    assert (node["id"], node["missing"]) == ("code:shop/b.py#work", True)
