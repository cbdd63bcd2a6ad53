"""A search from request to answer: its pages, and one retry if an index changed meanwhile.

`search` prepares the queries, retrieves batches of candidates, ranks them and builds the answer.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from uuid import UUID

from central.corpus.backends import vector_store
from central.http import cursors
from central.observability.metrics import SEARCH_SECONDS
from central.observability.tracing import span
from central.repositories.visibility import (
    RepositorySnapshot,
    answering_projects,
    repository_snapshots,
)
from central.search.answers import (
    NO_GOOD_MATCH,
    Answer,
    Receipt,
    Result,
    build_results,
    hint_for,
    missing_projects,
)
from central.search.confidence import Confidence, assess
from central.search.pieces import Joiner
from central.search.query import MAX_RESULTS, SearchRequest, point_filter, row_filter
from central.search.query_preparation import prepare
from central.search.ranking.scoring import ScoredHit, rerank
from central.search.retrieval import CandidateBatch, RetrievalPlan, candidate_batches
from central.search.rows import LiveChunk, displayed_rows, first_lines
from central.tenancy.credentials import Credential
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection, VectorStore

_SALT = "central.search.cursor"


def encode_cursor(*, request: SearchRequest, organization: str, offset: int) -> str:
    """Return a cursor for the page that starts at `offset`."""
    return cursors.encode_cursor(
        salt=_SALT, asked=_cursor_key(request, organization), position=offset
    )


def decode_cursor(*, request: SearchRequest, organization: str) -> int:
    """Return the offset of `request.cursor`; 0 without one.

    Raises InvalidError if the cursor belongs to another query or other filters.
    """
    key = _cursor_key(request, organization)
    return int(cursors.decode_cursor(request.cursor, salt=_SALT, asked=key) or 0)


def _cursor_key(request: SearchRequest, organization: str) -> object:
    """Return the fields that decide order and hits, without page size and display options."""
    key = asdict(replace(request, cursor="", limit=1, expand=0, max_content=0))
    del key["explain"]
    return [organization, key]


_spec = lru_cache(maxsize=256)(EmbedderSpec.parse)


@dataclass(frozen=True, slots=True)
class _Scope:
    """The visible repositories, and those that the request selects."""

    visible: list[RepositorySnapshot]
    selected: list[RepositorySnapshot]
    unknown: list[str]

    @property
    def searched(self) -> dict[int, RepositorySnapshot]:
        return {item.id: item for item in self.selected if item.generation > 0}


@dataclass(frozen=True, slots=True)
class _Page:
    results: list[Result]
    has_more: bool
    was_reindexed: bool
    is_truncated: bool
    unavailable: set[EmbedderSpec]
    confidence: Confidence


def search(*, credential: Credential, request: SearchRequest) -> Answer:
    """Return the requested page of results from the repositories visible to the credential.

    If a searched repository is re-indexed meanwhile, the search runs once more, so that results
    and receipt are of the same commits. Raises InvalidError for the cursor of another search,
    StoreError if the vector store is unavailable.
    """
    with span(
        "code.search",
        organization=credential.organization.slug,
        query=" | ".join(request.queries),
        project=",".join(request.include_projects) or None,
        mode=str(request.mode),
    ) as search_span:
        answer = _search(credential, request)
        search_span.set_attributes(resultCount=answer.count)
    return answer


def _search(credential: Credential, request: SearchRequest) -> Answer:
    started = time.perf_counter()
    slug = credential.organization.slug
    offset = decode_cursor(request=request, organization=slug)
    scope = _scope(credential, request)
    page = _page(slug, scope, request, offset)
    if page.was_reindexed:
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
    visible = repository_snapshots(credential=credential)
    included = set(request.include_projects)
    excluded = set(request.exclude_projects)
    return _Scope(
        visible=visible,
        selected=[
            item
            for item in visible
            if item.name not in excluded and (not included or item.name in included)
        ],
        unknown=sorted(included.difference(item.name for item in visible)),
    )


def _page(slug: str, scope: _Scope, request: SearchRequest, offset: int) -> _Page:
    searched = scope.searched
    collections: dict[EmbedderSpec, list[Collection]] = {}
    for item in searched.values():
        spec = _spec(item.embedder)
        collections.setdefault(spec, []).append(Collection(slug, item.name, item.id, spec))
    queries, unavailable = prepare(
        request.queries,
        mode=request.mode,
        embedders=list(collections),
        organization=slug,
        visible=scope.visible,
    )
    plan = RetrievalPlan(
        mode=request.mode,
        queries=queries,
        collections=collections,
        repositories=list(searched),
        points=point_filter(request),
        rows=row_filter(request),
        min_similarity=request.min_similarity,
    )
    store = vector_store()
    end = offset + request.limit
    projects = {item.id: item.name for item in searched.values()}
    found, is_truncated = _hits(store, plan, projects, wanted=end + 1, explain=request.explain)
    confidence = assess(found, queries, mode=request.mode)
    hits = found[: min(end + 1, MAX_RESULTS)]
    page = hits[offset:end]
    bare = [hit.row for hit in page if hit.cosine is None]
    cosines = _fetch_similarities(store, plan, bare)
    texts, generations = displayed_rows(
        chunks=[hit.row.id for hit in page],
        repositories=plan.repositories,
        with_file=[hit.row.id for hit in page if request.expand or hit.pieces],
    )
    results = build_results(
        page,
        request=request,
        queries=queries,
        repositories=searched,
        texts=texts,
        cosines=cosines,
    )
    was_reindexed = any(generations.get(item.id) != item.generation for item in searched.values())
    has_more = len(hits) > end
    return _Page(results, has_more, was_reindexed, is_truncated, unavailable, confidence)


def _hits(
    store: VectorStore,
    plan: RetrievalPlan,
    projects: Mapping[int, str],
    *,
    wanted: int,
    explain: bool,
) -> tuple[list[ScoredHit], bool]:
    """Return at least the first `wanted` hits (at most MAX_RESULTS), each definition once.

    The first hits do not depend on `wanted`. The flag is true if there are fewer because the
    lists may not grow further. Raises StoreError.
    """
    is_truncated = False
    wanted = min(wanted, MAX_RESULTS)
    joiner = Joiner(first_lines)
    max_score = 1.0
    for batch in candidate_batches(store, plan):
        if plan.min_similarity is not None:
            _drop_dissimilar(store, plan, batch, plan.min_similarity)
        ranked = rerank(
            batch,
            mode=plan.mode,
            queries=plan.queries,
            projects=projects,
            max_score=max_score,
            explain=explain,
        )
        joiner.add(ranked)
        max_score = ranked[-1].score if ranked else max_score
        if len(joiner) >= wanted:
            break
        is_truncated = batch.is_truncated
    return joiner.hits, is_truncated


def _drop_dissimilar(
    store: VectorStore, plan: RetrievalPlan, batch: CandidateBatch, min_similarity: float
) -> None:
    """Drop candidates that are less similar than requested, or cannot be compared."""
    bare = [row for chunk, row in batch.rows.items() if chunk not in batch.cosines]
    batch.cosines.update(_fetch_similarities(store, plan, bare))
    batch.keep({chunk for chunk in batch.rows if batch.cosines.get(chunk, -1.0) >= min_similarity})


def _fetch_similarities(
    store: VectorStore, plan: RetrievalPlan, rows: Sequence[LiveChunk]
) -> dict[int, float]:
    """Return by chunk id the highest cosine with any query; chunks without a vector are absent."""
    chunks: dict[int, dict[UUID, int]] = {}
    for row in rows:
        chunks.setdefault(row.repository, {})[row.point] = row.id
    cosines: dict[int, float] = {}
    for spec, collections in plan.collections.items():
        vectors = [query.vectors[spec] for query in plan.queries if spec in query.vectors]
        for collection in collections:
            wanted = chunks.get(collection.repository)
            if vectors and wanted:
                for point, vector in store.vectors(collection, list(wanted)).items():
                    cosines[wanted[point]] = max(float(vector @ other) for other in vectors)
    return cosines


def _answer(
    request: SearchRequest, scope: _Scope, page: _Page, cursor: str | None, took_ms: float
) -> Answer:
    unavailable = {str(spec) for spec in page.unavailable}
    missing = missing_projects(
        scope.selected, scope.unknown, unavailable, is_truncated=page.is_truncated
    )
    searched = answering_projects(scope.selected)
    hint = NO_GOOD_MATCH if page.confidence is Confidence.NONE else None
    if not page.results:
        hint = hint_for(request, searched=len(searched), missing=missing)
    return Answer(
        query=" | ".join(request.queries),
        queries=list(request.queries),
        count=len(page.results),
        results=page.results,
        next_cursor=cursor,
        receipt=Receipt(not missing, took_ms, searched, missing),
        confidence=page.confidence,
        hint=hint,
    )
