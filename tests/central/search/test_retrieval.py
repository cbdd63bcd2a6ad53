"""Paging, and lists that dead points and filters thin out."""

import uuid
from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from aeterna_code_search.contract.search import Mode, Result, SearchAnswer, SearchRequest
from central.corpus.models import Chunk
from central.errors import InvalidError
from central.search import retrieval
from central.search.query import MAX_RESULTS
from central.search.service import search
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from tests.central.lasting import lasting
from tests.central.search.corpus import credential_for, index_repository

FUNCTION = '''def handler_{n}(request):
    """Handle the request for {topic} number {n} and log what happened."""
    value = request.read("{topic}", {n})
    log.info("handled {topic}", value=value)
    return respond(value * {n})
'''
TOPICS = ("payment", "login", "invoice", "refund")


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Credential]:
    with lasting(django_db_blocker, make_big) as credential:
        yield credential


@pytest.fixture
def big(made: Credential, db: None) -> Credential:
    """Some hundreds of chunks that resemble each other."""
    return made


def make_big() -> Credential:
    organization = Organization.objects.create(slug=f"big-{uuid.uuid4().hex[:8]}")
    for project in ("one", "two"):
        files = {
            f"src/{topic}/part_{n}.py": FUNCTION.format(n=n, topic=topic)
            for topic in TOPICS
            for n in range(40)
        }
        index_repository(organization, project, files)
    return credential_for(organization)


def pages(credential: Credential, request: SearchRequest) -> list[Result]:
    results: list[Result] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = ask(credential, request, cursor=cursor)
        results += answer.results
        cursor = answer.next_cursor
    return results


def ask(credential: Credential, request: SearchRequest, **options: object) -> SearchAnswer:
    values = {name: getattr(request, name) for name in SearchRequest.__dataclass_fields__}
    return search(credential=credential, request=SearchRequest(**{**values, **options}))


def places(results: list[Result]) -> list[tuple[str, str, int]]:
    return [(result.project, result.file, result.start_line) for result in results]


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.SEMANTIC, Mode.LEXICAL])
@pytest.mark.parametrize("queries", [("payment handler",), ("refund request", "login log")])
def test_pages_put_together_are_the_long_answer(
    big: Credential, mode: Mode, queries: tuple[str, ...]
) -> None:
    small = pages(big, SearchRequest(queries=queries, mode=mode, limit=17))
    large = pages(big, SearchRequest(queries=queries, mode=mode, limit=50))
    assert places(small) == places(large)
    # Words that every chunk holds are not looked for: each query's topic is in 80 of them.
    expected = 80 * len(queries) if mode is Mode.LEXICAL else MAX_RESULTS
    assert len(set(places(small))) == len(small) == expected
    scores = [result.score for result in small]
    assert scores == sorted(scores, reverse=True)


def test_filters_that_thin_the_hits_do_not_shorten_the_answer(big: Credential) -> None:
    request = SearchRequest(
        queries=("payment handler",), exclude="payment|login|invoice", limit=50, mode=Mode.SEMANTIC
    )
    results = pages(big, request)
    assert len(results) == 80
    assert all("refund" in result.file for result in results)


def test_dead_points_are_no_results(big: Credential) -> None:
    Chunk.objects.filter(file__path__contains="payment").delete()
    results = pages(big, SearchRequest(queries=("payment handler",), limit=50))
    assert len(results) == MAX_RESULTS
    assert not [result for result in results if "payment" in result.file]


def test_short_lists_are_asked_for_once(big: Credential, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    asked = retrieval._query_store

    def counting(plan: retrieval.RetrievalPlan, size: int) -> object:
        sizes.append(size)
        return asked(plan, size)

    monkeypatch.setattr(retrieval, "_query_store", counting)
    ask(big, SearchRequest(queries=("payment handler",)))
    assert sizes == [retrieval.FIRST_SIZE]


def test_cursor_of_another_query_or_filter_is_refused(big: Credential) -> None:
    request = SearchRequest(queries=("payment handler",))
    cursor = ask(big, request).next_cursor
    assert cursor
    for changed in (
        {"queries": ("login",)},
        {"language": "python"},
        {"mode": Mode.LEXICAL},
        {"cursor": cursor + "x"},
        {"cursor": "nonsense"},
    ):
        with pytest.raises(InvalidError):
            ask(big, request, **{"cursor": cursor, **changed})


def test_cursor_allows_another_page_size(big: Credential) -> None:
    request = SearchRequest(queries=("payment handler",))
    first = ask(big, request)
    second = ask(big, request, cursor=first.next_cursor, limit=5)
    assert places(first.results + second.results) == places(ask(big, request, limit=15).results)
