"""`reconcile` covers the graph: what differs from code and documents is found and mended."""

from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import call_command

from central.knowledge.models import CodeLinks, Document, Edge, Mention, PolicyCheck
from central.knowledge.services.catch_up import KnowledgeGraph
from central.maintenance.reconcile import reconcile
from central.trace.stored.follower import CallEdges
from tests.central.knowledge.checkout import index_files
from tests.central.knowledge.graph import ADR, created, linked
from tests.central.knowledge.test_policies import CALM, NO_PANIC, PANICS, START
from tests.central.knowledge.test_records import FILES as RECORDS
from tests.central.knowledge.test_semantic_links import FILES as CODE
from tests.central.knowledge.test_semantic_links import MEMORY
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

FILES = RECORDS | CODE | {"src/main.rs": PANICS}


@pytest.fixture
def api() -> Api:
    api = api_of()
    index_files(api, FILES)
    created(api, **ADR | {"id": "ADR-1"})
    created(api, **NO_PANIC)
    created(api, **MEMORY)
    linked(api, START, "implements", "ADR-1")
    KnowledgeGraph().follow()
    CallEdges().follow()
    return api


def compared(*, repair: bool = False) -> tuple[int, int]:
    CallEdges().follow()  # what is due is the graph's
    (row,) = reconcile(repair=repair).repositories
    return row.due, row.differing


def edges() -> set[tuple[object, ...]]:
    return set(
        Edge.objects.values_list(
            "source__key", "type", "target__key", "origin", "weight", "properties__line"
        )
    )


@pytest.mark.usefixtures("api")
def test_a_graph_that_has_caught_up_is_clean() -> None:
    before = edges()
    assert {kind for _, kind, *_ in before} == {
        "implements",
        "mentions",
        "related_to",
        "violates",
    }
    assert compared() == (0, 0)
    assert compared(repair=True) == (0, 0)
    assert edges() == before


def test_a_history_of_changes_leaves_the_graph_that_is_made_anew(api: Api) -> None:
    index_files(api, FILES | {"src/main.rs": CALM, "src/other.rs": PANICS})
    index_files(api, FILES | {"auth/session.py": CODE["auth/flow.py"]})
    index_files(api, {path: text for path, text in FILES.items() if not path.startswith("docs/")})
    index_files(api, FILES)
    assert compared() == (0, 0)


def test_what_was_applied_and_not_linked_is_due_until_it_is_caught_up(api: Api) -> None:
    """A kill between apply and linking, and a lost message, leave just this."""
    api.index({"src/main.rs": "x\n"})
    assert compared() == (1, 0)
    KnowledgeGraph().follow()
    assert compared() == (0, 0)


def test_a_policy_that_is_not_checked_is_due(api: Api) -> None:
    created(api, **NO_PANIC | {"id": "POL-2"})
    assert compared() == (1, 0)
    KnowledgeGraph().follow()
    assert compared() == (0, 0)


DAMAGES: tuple[Callable[[], object], ...] = (
    lambda: Edge.objects.filter(type="violates").delete(),
    lambda: Edge.objects.filter(type="mentions").delete(),
    lambda: Edge.objects.filter(type="related_to").delete(),
    lambda: Edge.objects.filter(type="related_to").update(weight=0.99),
    lambda: Mention.objects.all().delete(),
    lambda: Document.objects.exclude(source_path="").update(title="Something else"),
    lambda: Document.objects.exclude(source_path="").update(archived_at="2026-01-01T00:00Z"),
)


@pytest.mark.usefixtures("api")
def test_damage_is_found_and_mended(subtests: pytest.Subtests) -> None:
    before = edges()
    for number, damage in enumerate(DAMAGES):
        with subtests.test(number=number):
            damage()
            due, differing = compared()
            assert (due, differing > 0) == (0, True)
            assert compared(repair=True)[1] == differing
            KnowledgeGraph().follow()
            assert compared() == (0, 0)
            assert edges() == before


@pytest.mark.usefixtures("api")
def test_a_watermark_that_is_ahead_of_the_edges_is_found() -> None:
    PolicyCheck.objects.update(file_id=10**9)
    CodeLinks.objects.update(file_id=10**9)
    Edge.objects.filter(origin="policy").delete()
    assert compared(repair=True)[1] == 1
    assert Edge.objects.filter(type="violates").count() == 1


@pytest.mark.usefixtures("api")
def test_the_command_tells_it_and_ends_with_1() -> None:
    Edge.objects.filter(type="violates").delete()
    output = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("reconcile", "--check", stdout=output)
    assert ended.value.code == 1
    heading, row = output.getvalue().splitlines()[:2]
    assert heading.split()[-2:] == ["due", "differing"]
    assert row.split()[-2:] == ["0", "1"]
    assert not Edge.objects.filter(type="violates").exists()
