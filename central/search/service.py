"""A search from request to answer: its pages, and further tries if an index changed meanwhile.

`search` prepares the queries, retrieves batches of candidates, ranks them and builds the answer.
"""

import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Final
from uuid import UUID

from aeterna_code_search.contract.search import (
    Confidence,
    Facets,
    GroupBy,
    Instead,
    Mode,
    Result,
    SearchAnswer,
    SearchRequest,
)
from central.corpus.backends import vector_store
from central.observability.metrics import SEARCH_SECONDS
from central.observability.tracing import span
from central.owners.answers import owner_counts
from central.query.syntax import Query
from central.repositories.visibility import answering_projects
from central.search.confidence import assess, confidence_of
from central.search.empty_answers import query_advice, repository_hint
from central.search.facets import facets_of
from central.search.filters import point_filter, row_filter
from central.search.hints import OF_CONFIDENCE, called_name, hint_for, trace_advice
from central.search.line_search import find_lines, restriction
from central.search.pasted import by_words as answered_by_words
from central.search.pasted import find_parts, find_pasted, read_pasted, words_of
from central.search.pieces import Joiner, ungrouped
from central.search.query import MAX_RESULTS
from central.search.query_preparation import prepare
from central.search.ranked_results import build_results
from central.search.ranking.rules import WEIGHTS, WEIGHTS_BY_FILE
from central.search.ranking.scoring import ScoredHit, rerank
from central.search.reading import ReadRequest, read_request, without_quotes
from central.search.receipts import missing_projects, search_receipt
from central.search.retrieval import CandidateBatch, RetrievalPlan, candidate_batches
from central.search.rows import LiveChunk, displayed_rows, first_lines, is_defined
from central.search.scope import SearchScope, decode_cursor, encode_cursor, search_scope
from central.sentences import Sentence
from central.tenancy.credentials import Credential
from indexer.embedding.catalogue import REMOTE
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection, VectorStore

TRIES: Final = 2

_spec = lru_cache(maxsize=256)(EmbedderSpec.parse)


@dataclass(frozen=True, slots=True)
class _Page:
    results: list[Result]
    has_more: bool
    was_reindexed: bool
    lacks: Mapping[int, str]
    is_restricted: bool
    match: float
    facets: Facets | None


def search(*, credential: Credential, request: SearchRequest) -> SearchAnswer:
    """Return the requested page of results from the repositories visible to the credential.

    If a repository on the page is re-indexed meanwhile (of an empty page: any that is searched),
    the search runs again, TRIES times in all. What is re-indexed each time may have results of two
    commits; the receipt names it `reindexed`. Raises InvalidError for the cursor of another search,
    StoreError if the vector store is unavailable.
    """
    with span(
        "code.search",
        organization=credential.organization.slug,
        query=" | ".join(request.queries),
        project=",".join(request.include_projects) or None,
        mode=str(request.mode),
    ) as search_span:
        answer = _pasted_answer(credential, request) or _query_answer(credential, request)
        search_span.set_attributes(resultCount=answer.count)
    return answer


def _pasted_answer(credential: Credential, request: SearchRequest) -> SearchAnswer | None:
    """Return the answer to a pasted trace, place or error; None if the text is a query."""
    pasted = read_pasted(request)
    if pasted is None:
        return None
    if answer := find_pasted(credential=credential, request=request, pasted=pasted):
        return answer
    by_words = words_of(request, pasted)
    if by_words is None:
        return None
    answer = _search(credential, by_words, ReadRequest(by_words, Query()))
    return answered_by_words(answer, request, pasted)


def _query_answer(credential: Credential, request: SearchRequest) -> SearchAnswer:
    read = read_request(request)
    if read.is_exact:
        answer = find_lines(credential=credential, request=request, read=read)
    else:
        answer = _search(credential, request, read)
    if answer.results or request.cursor:
        return answer
    return replace(answer, instead=_instead(credential, read))


def _instead(credential: Credential, read: ReadRequest) -> Instead | None:
    """Return the answer by the words of quoted texts that stand nowhere, if it is a good one."""
    unquoted = without_quotes(read)
    if unquoted is None:
        return None
    read, request = unquoted.read, unquoted.read.request
    answer = find_parts(credential=credential, request=request, read=read, message=unquoted.message)
    if answer is None:
        # What is quoted may be a secret that is looked for: no other service gets to know it.
        scope = search_scope(credential, read)
        embedders = {_spec(item.embedder).provider for item in scope.searched.values()}
        if embedders & REMOTE:
            request = replace(request, mode=Mode.LEXICAL)
            read = replace(read, request=request, is_embedded=False)
        answer = _search(credential, request, read)
    if not answer.results or answer.confidence is Confidence.NONE:
        return None
    query = answer.reading.query if answer.reading else answer.query
    return Instead(query, answer.results, answer.confidence, answer.match)


def _search(credential: Credential, request: SearchRequest, read: ReadRequest) -> SearchAnswer:
    started = time.perf_counter()
    slug = credential.organization.slug
    offset = int(decode_cursor(request=request, organization=slug) or 0)
    for _ in range(TRIES):
        scope = search_scope(credential, read)
        page = _page(slug, scope, read, offset)
        if not page.was_reindexed:
            break
    cursor = None
    if page.has_more:
        following = offset + request.limit
        cursor = encode_cursor(request=request, organization=slug, position=following)
    seconds = time.perf_counter() - started
    SEARCH_SECONDS.labels(str(request.mode)).observe(seconds)
    took_ms = round(seconds * 1000, 1)
    return _answer(request, read, scope, page, cursor, took_ms)


def _page(slug: str, scope: SearchScope, read: ReadRequest, offset: int) -> _Page:
    request, searched = read.request, scope.searched
    collections: dict[EmbedderSpec, list[Collection]] = {}
    for item in searched.values():
        spec = _spec(item.embedder)
        collections.setdefault(spec, []).append(Collection(slug, item.name, item.id, spec))
    queries, unavailable = prepare(
        request.queries,
        mode=request.mode,
        embedders=list(collections) if read.is_embedded else [],
        organization=slug,
        visible=scope.visible,
    )
    required = restriction(read, scope)
    repositories = list(searched)
    if required:
        repositories = required.repositories()
        collections = _of_repositories(collections, set(repositories))
    plan = RetrievalPlan(
        mode=request.mode,
        queries=queries,
        collections=collections,
        repositories=repositories,
        points=point_filter(request),
        rows=replace(row_filter(request), holds=required.holds if required else None),
        min_similarity=request.min_similarity,
        by_file=request.group_by is GroupBy.FILE and request.mode is not Mode.SYMBOL,
    )
    store = vector_store()
    end = offset + request.limit
    projects = {item.id: item.name for item in searched.values()}
    ranked = _hits(store, plan, projects, wanted=end + 1, explain=request.explain)
    found, is_truncated = ranked.hits, ranked.is_truncated
    match = assess(ungrouped(found), queries, mode=request.mode)
    hits = found[: min(end + 1, MAX_RESULTS)]
    page = hits[offset:end]
    bare = [hit.row for hit in page if hit.cosine is None]
    cosines = _fetch_similarities(store, plan, bare)
    shown = list(dict.fromkeys(hit.row.repository for hit in page)) or plan.repositories
    texts, generations = displayed_rows(
        chunks=[hit.row.id for hit in page],
        repositories=shown,
        with_file=[hit.row.id for hit in page if request.expand or hit.pieces],
    )
    results = build_results(
        page,
        request=request,
        queries=queries,
        repositories=searched,
        texts=texts,
        cosines=cosines,
        owners=scope.owners,
    )
    reindexed = [
        repository
        for repository in shown
        if generations.get(repository) != searched[repository].generation
    ]
    lacks = dict.fromkeys(reindexed, "reindexed") | {
        item.id: "embedder_unavailable"
        for item in searched.values()
        if _spec(item.embedder) in unavailable
    }
    if required:
        lacks = {**required.reasons, **lacks}
    if is_truncated:
        cut = (item.id for item in scope.selected if not item.incomplete_reason)
        lacks = dict.fromkeys(cut, "too_many_hits") | lacks
    has_more = len(hits) > end
    is_restricted = required is not None
    facets = None
    if request.facets and not offset:
        rows = {(hit.row.repository, hit.row.path, hit.row.language) for hit in found}
        facets = facets_of(
            ((projects[repository], path, language) for repository, path, language in rows),
            owner_counts(scope.owners, ((searched[key], path) for key, path, _ in rows)),
            at_least=ranked.is_cut or bool(lacks),
        )
    return _Page(results, has_more, bool(reindexed), lacks, is_restricted, match, facets)


def _of_repositories(
    collections: Mapping[EmbedderSpec, Sequence[Collection]], wanted: AbstractSet[int]
) -> dict[EmbedderSpec, list[Collection]]:
    """Return the collections of some repositories; an embedder without any is left out."""
    kept = {
        spec: [collection for collection in several if collection.repository in wanted]
        for spec, several in collections.items()
    }
    return {spec: several for spec, several in kept.items() if several}


@dataclass(frozen=True, slots=True)
class _RankedHits:
    """Hits, best first. `is_cut`: the store may have more; `is_truncated`: and will not tell."""

    hits: list[ScoredHit]
    is_cut: bool
    is_truncated: bool


def _hits(
    store: VectorStore,
    plan: RetrievalPlan,
    projects: Mapping[int, str],
    *,
    wanted: int,
    explain: bool,
) -> _RankedHits:
    """Return at least the first `wanted` hits (at most MAX_RESULTS), each definition or file once.

    The first hits do not depend on `wanted`. They are truncated if there are fewer because the
    lists may not grow further. Raises StoreError.
    """
    is_truncated = is_cut = False
    wanted = min(wanted, MAX_RESULTS)
    joiner = Joiner(first_lines, by_file=plan.by_file)
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
            weights=WEIGHTS_BY_FILE if plan.by_file else WEIGHTS,
            explain=explain,
        )
        joiner.add(ranked)
        max_score = ranked[-1].score if ranked else max_score
        if len(joiner) >= wanted:
            is_cut = True
            break
        is_truncated = batch.is_truncated
    return _RankedHits(joiner.hits, is_cut or is_truncated, is_truncated)


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
    request: SearchRequest,
    read: ReadRequest,
    scope: SearchScope,
    page: _Page,
    cursor: str | None,
    took_ms: float,
) -> SearchAnswer:
    missing = missing_projects(scope.selected, scope.unknown, page.lacks)
    searched = answering_projects(scope.selected)
    confidence = confidence_of(page.match)
    if page.results:
        said = [OF_CONFIDENCE.get(confidence), query_advice(read.request.queries)]
    else:
        empty = partial(hint_for, request, searched=len(searched), missing=missing)
        said = [repository_hint(read, scope) or empty(is_restricted=page.is_restricted)]
    name = called_name(request.queries[0])
    if name and is_defined(name.rpartition(".")[2], repositories=list(scope.searched)):
        said.insert(0, trace_advice(name))
    hints = [hint for hint in said if hint]
    return SearchAnswer(
        query=" | ".join(request.queries),
        queries=list(request.queries),
        count=len(page.results),
        results=page.results,
        next_cursor=cursor,
        receipt=search_receipt(scope.selected, missing, took_ms=took_ms),
        confidence=confidence,
        match=page.match,
        hint=Sentence.joined(hints) or None,
        facets=page.facets,
    )
