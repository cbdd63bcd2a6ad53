"""What a filter that leaves little asks of the vector store: no more in a larger index."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from aeterna_code_search.contract.search import Mode, SearchRequest
from central.corpus.backends import vector_store
from central.corpus.models import Chunk
from central.search import service
from central.search.retrieval import FIRST_SIZE, GROWTH, SIMILAR_CHUNKS
from central.search.rows import NAMED_FILES
from central.search.service import search
from central.tenancy.credentials import Credential
from indexer.store.base import Collection, HybridHits, HybridQuery
from tests.central.lasting import lasting
from tests.central.search.corpus import credential_for, index_repository, organization_of

HANDLER = '''def handle_{topic}_{n}(request):
    """Handle the request for {topic} number {n} and log what happened to it."""
    value = request.read("{topic}", {n})
    if value is None:
        raise MissingValueError("{topic}", {n}, request.identifier, request.address)
    log.info("handled {topic}", value=value, number={n}, request=request.identifier)
    for part in value.parts:
        part.check(request, number={n}, strictly=True)
        queue.append(part.as_message(sender=request.sender, number={n}))
    result = respond(value * {n}, status="accepted", sender=request.sender)
    log.info("answered {topic}", value=value, number={n}, result=result)
    return result
'''
FILES, HANDLERS = 60, 50
WITH_FILTERS: dict[str, dict[str, Any]] = {
    "path": {"path": "helpers.py"},
    "the beginning of a path": {"path": "helpe"},
    "the beginning of a name in a directory": {"path": "src/rare"},
    "a path that no file has": {"path": "nothing.py"},
    "exclusions": {"exclude": "part_"},
    "exclusions of all": {"exclude": "py|rs|go"},
    "path and exclusions": {"path": "src/r", "exclude": "part"},
    "language": {"language": "rust"},
    "type": {"chunk_type": "class"},
    "language and exclusions": {"language": "python", "exclude": "PART_"},
    "project": {"include_projects": ("tiny",)},
    "project and path": {"include_projects": ("tiny",), "path": "helpers"},
    "similarity": {"min_similarity": 0.99},
    "similarity and path": {"min_similarity": 0.1, "path": "helpers.py"},
}


class CountingStore:
    """A real store that notes how many points each question may get."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.limits: list[int] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def search(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> list[HybridHits]:
        self.limits += [query.limit for query in queries]
        found: list[HybridHits] = self._store.search(collections, queries)
        return found


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> CountingStore:
    store = CountingStore(vector_store())
    monkeypatch.setattr(service, "vector_store", lambda: store)
    return store


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Credential]:
    with lasting(django_db_blocker, make_crowd) as credential:
        yield credential


@pytest.fixture
def crowd(made: Credential, db: None) -> Credential:
    """Thousands of chunks that resemble each other, and of each rare kind a few."""
    return made


def make_crowd() -> Credential:
    organization = organization_of(f"crowd-{uuid.uuid4().hex[:8]}")
    common = {
        f"src/part_{n}.py": "\n\n".join(
            HANDLER.format(topic="payment", n=n * HANDLERS + m) for m in range(HANDLERS)
        )
        for n in range(FILES)
    }
    rare = {
        "helpers.py": HANDLER.format(topic="helping", n=1),
        "src/rare.py": HANDLER.format(topic="payment", n=1),
        "src/model.py": "class Payment:\n    number = 1\n    amount = 2\n",
        "src/rusty.rs": "fn payment(number: u32) -> u32 {\n    number + 1\n}\n",
    }
    index_repository(organization, "large", {**common, **rare})
    index_repository(organization, "tiny", {"helpers.py": HANDLER.format(topic="payment", n=7)})
    return credential_for(organization)


def test_rare_results_are_found_without_reading_the_whole_store(
    crowd: Credential, counting: CountingStore
) -> None:
    assert Chunk.objects.count() > 5 * FIRST_SIZE * GROWTH
    asked = {}
    for mode in (Mode.HYBRID, Mode.SEMANTIC, Mode.LEXICAL):
        for what, options in WITH_FILTERS.items():
            counting.limits.clear()
            search(
                credential=crowd,
                request=SearchRequest(queries=("handle payment number",), mode=mode, **options),
            )
            asked[mode, what] = sum(counting.limits)
    most = FIRST_SIZE + FIRST_SIZE * GROWTH + SIMILAR_CHUNKS
    assert {which: count for which, count in asked.items() if count > most} == {}


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.SEMANTIC, Mode.LEXICAL])
def test_each_rare_result_is_found(crowd: Credential, mode: Mode) -> None:
    def files(**options: Any) -> set[tuple[str, str]]:
        request = SearchRequest(queries=("handle payment number",), mode=mode, limit=50, **options)
        answer = search(credential=crowd, request=request)
        assert not answer.receipt.missing
        return {(result.project, result.file) for result in answer.results}

    helpers = {("large", "helpers.py"), ("tiny", "helpers.py")}
    assert files(path="helpers.py") == files(path="helpe") == helpers
    assert files(path="src/rare") == {("large", "src/rare.py")}
    assert files(exclude="part_", path="src/r", language="python") == {("large", "src/rare.py")}
    assert files(path="nothing.py") == set()
    assert helpers < files(exclude="part_")
    assert not [file for _, file in files(exclude="part_") if "part_" in file]
    assert files(min_similarity=0.0, path="helpers.py") == helpers


def test_more_files_than_can_be_named_are_found_too(
    crowd: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert NAMED_FILES > FILES
    monkeypatch.setattr("central.search.rows.NAMED_FILES", 3)
    request = SearchRequest(queries=("handle payment number",), exclude="part_", limit=50)
    named = search(credential=crowd, request=request).results
    assert {result.file for result in named} >= {"helpers.py", "src/rare.py"}
