"""A search from request to answer: pages, and a repetition where an index changed."""

import time
from dataclasses import asdict, dataclass, replace
from functools import lru_cache

from central.corpus.backends import vector_store
from central.http import cursors
from central.observability.metrics import SEARCH_SECONDS
from central.observability.tracing import span
from central.repositories.visibility import (
    RepositoryInSight,
    answering_projects,
    repositories_in_sight,
)
from central.search.answers import (
    Answer,
    Receipt,
    Result,
    hint_for,
    missing_projects,
)
from central.search.execution import Execution
from central.search.query import SearchRequest
from central.search.query_preparation import prepare
from central.tenancy.credentials import Credential
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection

_SALT = "central.search.cursor"


def encode_cursor(*, request: SearchRequest, organization: str, offset: int) -> str:
    """A cursor for the page that starts at `offset`."""
    return cursors.encode_cursor(salt=_SALT, asked=_asked(request, organization), position=offset)


def decode_cursor(*, request: SearchRequest, organization: str) -> int:
    """The offset that `request.cursor` stands for; 0 without one.

    Raises InvalidError if it was not given out for this query with these filters.
    """
    asked = _asked(request, organization)
    return int(cursors.decode_cursor(request.cursor, salt=_SALT, asked=asked) or 0)


def _asked(request: SearchRequest, organization: str) -> object:
    """What decides order and content; the page's size and what is shown of a hit do not."""
    asked = asdict(replace(request, cursor="", limit=1, expand=0, max_content=0))
    del asked["explain"]
    return [organization, asked]


_spec = lru_cache(maxsize=256)(EmbedderSpec.parse)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The repositories that the credential sees, and those that the request is about."""

    sight: list[RepositoryInSight]
    asked: list[RepositoryInSight]
    unknown: list[str]

    @property
    def searched(self) -> dict[int, RepositoryInSight]:
        return {item.id: item for item in self.asked if item.generation > 0}


@dataclass(frozen=True, slots=True)
class _Page:
    results: list[Result]
    has_more: bool
    has_moved: bool
    is_cut: bool
    away: set[EmbedderSpec]


def search(*, credential: Credential, request: SearchRequest) -> Answer:
    """The page of results that `request` asks for, out of what the credential sees.

    If a searched repository is re-indexed meanwhile, it is all done once more, so that results
    and receipt are of the same commits. Raises InvalidError for the cursor of another search,
    StoreError where the vector store is away.
    """
    with span(
        "code.search",
        organization=credential.organization.slug,
        query=" | ".join(request.queries),
        project=",".join(request.include_projects) or None,
        mode=str(request.mode),
    ) as told:
        answer = _search(credential, request)
        told.set_attributes(resultCount=answer.count)
    return answer


def _search(credential: Credential, request: SearchRequest) -> Answer:
    started = time.perf_counter()
    slug = credential.organization.slug
    offset = decode_cursor(request=request, organization=slug)
    scope = _scope(credential, request)
    page = _page(slug, scope, request, offset)
    if page.has_moved:
        scope = _scope(credential, request)
        page = _page(slug, scope, request, offset)
    cursor = None
    if page.has_more:
        following = offset + request.limit
        cursor = encode_cursor(request=request, organization=slug, offset=following)
    seconds = time.perf_counter() - started
    SEARCH_SECONDS.labels(str(request.mode)).observe(seconds)
    took_ms = round(seconds * 1000, 1)
    return _answer(request, scope, page, cursor, took_ms)


def _scope(credential: Credential, request: SearchRequest) -> _Scope:
    sight = repositories_in_sight(credential=credential)
    included = set(request.include_projects)
    excluded = set(request.exclude_projects)
    return _Scope(
        sight=sight,
        asked=[
            item
            for item in sight
            if item.name not in excluded and (not included or item.name in included)
        ],
        unknown=sorted(included.difference(item.name for item in sight)),
    )


def _page(slug: str, scope: _Scope, request: SearchRequest, offset: int) -> _Page:
    searched = scope.searched
    collections = {
        item.id: Collection(slug, item.name, item.id, _spec(item.embedder))
        for item in searched.values()
    }
    embedders = list(dict.fromkeys(item.embedder for item in collections.values()))
    queries, away = prepare(
        request.queries,
        mode=request.mode,
        embedders=embedders,
        organization=slug,
        sight=scope.sight,
    )
    execution = Execution(request, queries, searched, collections, vector_store())
    end = offset + request.limit
    found, is_cut = execution.candidates(end + 1)
    results, has_moved = execution.results(found[offset:end])
    return _Page(results, len(found) > end, has_moved, is_cut, away)


def _answer(
    request: SearchRequest, scope: _Scope, page: _Page, cursor: str | None, took_ms: float
) -> Answer:
    away = {str(spec) for spec in page.away}
    missing = missing_projects(scope.asked, scope.unknown, away, is_cut=page.is_cut)
    searched = answering_projects(scope.asked)
    return Answer(
        query=" | ".join(request.queries),
        queries=list(request.queries),
        count=len(page.results),
        results=page.results,
        next_cursor=cursor,
        receipt=Receipt(not missing, took_ms, searched, missing),
        hint=None if page.results else hint_for(request, searched=len(searched), missing=missing),
    )
