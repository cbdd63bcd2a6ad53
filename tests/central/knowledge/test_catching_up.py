"""The graph after a change is the graph that is made anew, whatever happened between."""

from typing import Any

import duckdb
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from central.knowledge.models import Document, Edge, PolicyCheck
from central.knowledge.services import catch_up as catching_up
from central.knowledge.services import violations
from central.knowledge.services.catch_up import KnowledgeGraph
from central.knowledge.services.snapshot import take_snapshot
from central.maintenance.reconcile import reconcile
from central.repositories.models import Repository
from central.trace.stored.follower import CallEdges
from tests.central import limited_child
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, graph, linked
from tests.central.knowledge.test_policies import NO_PANIC, PANICS
from tests.central.knowledge.test_records import RECORD, STORE
from tests.central.knowledge.test_semantic_links import FILES as CODE
from tests.central.knowledge.test_semantic_links import MEMORY
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db(transaction=True)

RECORDS = {"docs/adr/0042-use-postgresql.md": RECORD}
CONNECT = "code:shop/shop/store.py#connect"


@pytest.fixture
def api(settings: Settings, tmp_path: Any) -> Api:
    settings.DATA_DIR = tmp_path
    return api_of()


def edges() -> list[tuple[Any, ...]]:
    return sorted(Edge.objects.values_list("source__path", "type", "target__key", "origin"))


def is_as_made_anew() -> bool:
    CallEdges().follow()  # what is due is the graph's
    return not any(one.due or one.differing for one in reconcile(repair=False).repositories)


def rows(api: Api, sql: str) -> list[Any]:
    with duckdb.connect(str(take_snapshot(api.organization)), read_only=True) as database:
        return database.execute(sql).fetchall()


def test_unlinking_by_hand_brings_back_what_the_text_says(api: Api) -> None:
    index_files(api, RECORDS | {"shop/store.py": STORE})
    before = edges()
    linked(api, CONNECT, "implements", "shop/ADR-0042")
    asked = {"from": CONNECT, "type": "implements", "to": "shop/ADR-0042"}
    assert graph(api, "DELETE", "links", asked).status_code == 204
    KnowledgeGraph().follow()
    assert edges() == before


def test_a_kill_while_a_document_is_linked_loses_no_mention(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_files(api, {"shop/store.py": STORE})
    created(api, **ADR)

    def killed(_: Document) -> None:
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(catching_up, "link_document", killed)
        with pytest.raises(SystemExit):
            KnowledgeGraph().follow()
    KnowledgeGraph().follow()
    assert {kind for _, kind, *_ in edges()} == {"implements", "mentions"}
    assert is_as_made_anew()


def test_what_fails_in_one_repository_holds_up_no_other(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    created(api, **NO_PANIC)
    api.index({"a.rs": "x\n"}, project="first")
    check = violations.check_policies

    def failing(repository: Repository, *rest: Any, **options: Any) -> None:
        if repository.name == "first":
            raise TypeError("a rule that nobody foresaw")
        check(repository, *rest, **options)

    monkeypatch.setattr(catching_up, "check_policies", failing)
    index_files(api, {"src/main.rs": PANICS})
    assert [edge[0] for edge in edges()] == ["src/main.rs"]


def test_mentions_mean_the_organisation_s_record_when_the_project_s_own_is_deleted(
    api: Api,
) -> None:
    index_files(api, {"shop/store.py": STORE})
    created(api, **ADR)
    created(api, **ADR, project="shop")
    KnowledgeGraph().follow()
    assert set(Edge.objects.values_list("target__repository__name", flat=True)) == {"shop"}
    graph(api, "DELETE", "nodes/shop%2FADR-042")
    KnowledgeGraph().follow()
    assert set(Edge.objects.values_list("target__repository__name", flat=True)) == {None}
    assert is_as_made_anew()


def test_an_archived_record_is_mentioned_by_no_other_repository(api: Api) -> None:
    index_files(api, RECORDS | {"b.md": "x\n"}, project="law")
    index_files(api, {"shop/store.py": STORE})
    assert edges()
    index_files(api, {"b.md": "x\n"}, project="law")
    assert not edges()
    assert is_as_made_anew()


def test_an_archived_record_resembles_nothing(api: Api) -> None:
    text = f"# 42. {MEMORY['title']}\n\n{MEMORY['body']}\n"
    index_files(api, CODE | {"docs/adr/0042-a.md": text})
    assert [kind for _, kind, *_ in edges()] == ["related_to"]
    index_files(api, CODE)
    assert not edges()
    assert is_as_made_anew()


def test_another_file_of_the_same_number_takes_the_place_of_a_deleted_one(api: Api) -> None:
    two = {"docs/adr/0042-a.md": RECORD, "docs/adr/0042-b.md": RECORD, "x.md": "x\n"}
    index_files(api, two)
    del two["docs/adr/0042-a.md"]
    index_files(api, two)
    record = Document.objects.get()
    assert (record.source_path, record.archived_at) == ("docs/adr/0042-b.md", None)


def test_a_merge_costs_as_many_queries_beside_few_mentions_as_beside_many(api: Api) -> None:
    created(api, **ADR)
    counts = []
    for count in (5, 60):
        files = {f"d{count}/s{n}.py": f"# ADR-42 says why\ndef f{n}(): ...\n" for n in range(count)}
        index_files(api, files)
        api.index(files | {"new.md": "nothing\n"})
        with CaptureQueriesContext(connection) as captured:
            KnowledgeGraph().follow()
        counts.append(len(captured))
    assert counts[0] == counts[1]


@pytest.mark.usefixtures("matching_stand_in")
def test_a_file_over_the_limit_is_named_as_long_as_it_is(api: Api) -> None:
    created(api, **NO_PANIC)
    for text in (f"{PANICS}// {limited_child.SPIN}\n", f"{PANICS}// 1 {limited_child.SPIN}\n"):
        index_files(api, {"src/main.rs": text})
        assert PolicyCheck.objects.get().over_limit == ["src/main.rs"]
    index_files(api, {"x.md": "x\n"})
    assert PolicyCheck.objects.get().over_limit == []


def test_an_embedding_is_in_the_file_once_it_is_made(api: Api) -> None:
    created(api, kind="memory", id="mem-1", title="Unlike anything")
    assert rows(api, "SELECT embedding FROM nodes") == [(None,)]
    KnowledgeGraph().follow()
    assert rows(api, "SELECT len(embedding) FROM nodes") == [(256,)]


def test_a_repository_that_takes_another_s_name_is_whole_in_the_file(api: Api) -> None:
    index_files(api, {"a.py": "def one():\n    pass\n"}, project="first")
    index_files(api, {"b.py": "def two():\n    pass\n"}, project="second")
    rows(api, "SELECT 1")
    Repository.objects.filter(name="second").update(name="second~2")
    Repository.objects.filter(name="first").update(name="second")
    assert [name for (name,) in rows(api, "SELECT id FROM nodes ORDER BY id")] == [
        "code:second/a.py",
        "code:second/a.py#one",
        "code:second~2/b.py",
        "code:second~2/b.py#two",
    ]


def test_a_large_rule_leaves_room_for_the_rest_of_a_context(api: Api) -> None:
    created(api, **ADR)
    index_files(api, {"src/main.rs": PANICS})
    linked(api, "code:shop/src/main.rs", "implements", "ADR-042")
    rule = f"{NO_PANIC['policy']['rule']}#{'x' * 4_000}\n"
    created(api, **NO_PANIC | {"policy": NO_PANIC["policy"] | {"rule": rule}})
    KnowledgeGraph().follow()
    query = "context?project=shop&file=src/main.rs&max_tokens=1000"
    answer = graph(api, "GET", query).json()
    assert [one["node"]["id"] for one in answer["decisions"]] == ["ADR-042"]
    assert answer["truncated"] == {"policies": 1}
