"""A search from request to answer.

What is pasted finds lines (`pasted`), quotes and patterns find lines (`line_search`). Words are
ranked in five steps: the scope, the prepared plan, the retrieval of candidates, their ranking, and
the answer with a page of them. If an index changed meanwhile, they are taken again.
"""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from aeterna_code_search.contract.search import (
    Confidence,
    GroupBy,
    Instead,
    Mode,
    SearchAnswer,
    SearchRequest,
)
from central.corpus.backends import others_key, vector_store
from central.corpus.branches.chosen import reading
from central.observability.metrics import SEARCH_SECONDS
from central.observability.tracing import span
from central.query.syntax import Query
from central.search.answers import search_answer, search_facets
from central.search.branches import count_files_of_hits, versions_of
from central.search.candidates import Candidate, Joiner, ungrouped
from central.search.confidence import assess
from central.search.filters import point_filter, row_filter
from central.search.hints import hint_of_ranked
from central.search.history.service import search_commits
from central.search.line_search import Restriction, find_lines, restriction
from central.search.pasted import by_words as answered_by_words
from central.search.pasted import find_parts, find_pasted, read_pasted, words_of
from central.search.query import MAX_RESULTS
from central.search.query_preparation import prepare
from central.search.ranked_results import Page, build_results, read_page
from central.search.ranking.rules import WEIGHTS, WEIGHTS_BY_FILE
from central.search.ranking.scoring import rerank
from central.search.reading import ReadRequest, read_request, refs_of, without_quotes
from central.search.retrieval import RetrievalPlan, candidate_batches
from central.search.rows import first_lines
from central.search.scope import SearchScope, decode_cursor, encode_cursor, search_scope
from central.tenancy.credentials import Credential
from indexer.embedding.catalogue import REMOTE
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection

TRIES: Final = 2

_spec = lru_cache(maxsize=256)(EmbedderSpec.parse)


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
    refs = refs_of(request)
    with reading(credential, refs) as chosen:
        read = ReadRequest(request, Query(), refs=refs, chosen=chosen)
        if answer := find_pasted(credential=credential, read=read, pasted=pasted):
            return answer
        by_words = words_of(request, pasted)
        if by_words is None:
            return None
        answer = _ranked_answer(credential, by_words, replace(read, request=by_words))
        return answered_by_words(answer, request, pasted)


def _query_answer(credential: Credential, request: SearchRequest) -> SearchAnswer:
    read = read_request(request)
    if read.commits:
        return search_commits(credential=credential, request=request, read=read)
    with reading(credential, read.refs) as chosen:
        read = replace(read, chosen=chosen)
        if read.is_exact:
            answer = find_lines(credential=credential, request=request, read=read)
        else:
            answer = _ranked_answer(credential, request, read)
        if answer.results or request.cursor:
            return answer
        return replace(answer, instead=_instead(credential, read))


def _instead(credential: Credential, read: ReadRequest) -> Instead | None:
    """Return the answer by the words of quoted texts that stand nowhere, if it is a good one."""
    unquoted = without_quotes(read)
    if unquoted is None:
        return None
    answer = find_parts(credential=credential, read=unquoted.read, message=unquoted.message)
    if answer is None:
        answer = _ranked_answer(credential, unquoted.read.request, unquoted.read)
    if not answer.results or answer.confidence is Confidence.NONE:
        return None
    query = answer.reading.query if answer.reading else answer.query
    return Instead(query, answer.results, answer.confidence, answer.match)


def _ranked_answer(credential: Credential, asked: SearchRequest, read: ReadRequest) -> SearchAnswer:
    """Return the page of an answer by words and meaning; its cursors are of the request `asked`."""
    started = time.perf_counter()
    slug, request = credential.organization.slug, read.request
    offset = int(decode_cursor(request=asked, organization=slug) or 0)
    end = offset + request.limit
    for _ in range(TRIES):
        scope = search_scope(credential, read)
        prepared = _prepare(slug, scope, read)
        versions = versions_of if scope.chosen.has_versions else None
        joiner = Joiner(first_lines, by_file=prepared.plan.by_file, versions=versions)
        ranking = _rank(prepared.plan, joiner, wanted=end + 1, explain=request.explain)
        page = read_page(
            ranking.hits[offset : min(end, MAX_RESULTS)], request, prepared.plan, scope
        )
        if not page.reindexed:
            break
    results = build_results(page, request, prepared.plan.queries, scope)
    lacks = _lacks(scope, prepared, ranking, page)
    facets = None
    if request.facets and not offset:
        files = {(*hit.file, hit.language) for hit in ranking.hits}
        branches = count_files_of_hits(scope.chosen, ungrouped(ranking.hits))
        facets = search_facets(scope, files, branches, at_least=ranking.is_cut or bool(lacks))
    has_more = len(ranking.hits) > end < MAX_RESULTS
    answer = search_answer(
        scope,
        asked,
        results,
        lacks=lacks,
        match=assess(ungrouped(ranking.hits), prepared.plan.queries, mode=prepared.plan.mode),
        started=started,
        next_cursor=encode_cursor(request=asked, organization=slug, position=end)
        if has_more
        else None,
        facets=facets,
    )
    SEARCH_SECONDS.labels(str(asked.mode)).observe(answer.receipt.took_ms / 1000)
    return replace(answer, hint=hint_of_ranked(answer, asked, read, scope))


class _Prepared(NamedTuple):
    """The plan, what the query requires of files, and the repositories without an embedder."""

    plan: RetrievalPlan
    required: Restriction | None
    unembedded: set[int]


def _prepare(organization: str, scope: SearchScope, read: ReadRequest) -> _Prepared:
    request, searched = read.request, scope.searched
    collections: dict[EmbedderSpec, list[Collection]] = {}
    for key, item in searched.items():
        if key in scope.chosen.defaults:
            continue
        spec = _spec(item.embedder)
        collections.setdefault(spec, []).append(Collection(organization, item.name, key, spec))
    for key, name, embedder in _of_branches(scope):
        spec = _spec(embedder)
        collections.setdefault(spec, []).append(Collection(organization, name, key, spec))
    mode, embedders = request.mode, list(collections)
    if read.is_secret and any(spec.provider in REMOTE for spec in embedders):
        mode, embedders = Mode.LEXICAL, []
    queries, unavailable = prepare(
        request.queries,
        mode=mode,
        embedders=embedders,
        organization=organization,
        visible=scope.visible,
        others=scope.chosen.defaults.keys() & searched.keys(),
    )
    unembedded = {
        abs(collection.repository)
        for spec in unavailable
        for collection in collections.get(spec, ())
    }
    required = restriction(read, scope) if read.query.predicate is not None else None
    wanted = required.repositories if required else searched
    projects = {key: searched[key].name for key in wanted}
    for own in collections.values():
        own[:] = [collection for collection in own if abs(collection.repository) in projects]
    plan = RetrievalPlan(
        store=vector_store(),
        mode=mode,
        queries=queries,
        collections={spec: own for spec, own in collections.items() if own},
        projects=projects,
        points=point_filter(request),
        rows=replace(row_filter(request), holds=required.holds if required else None),
        min_similarity=request.min_similarity,
        by_file=request.group_by is GroupBy.FILE and mode is not Mode.SYMBOL,
    )
    return _Prepared(plan, required, unembedded)


def _of_branches(scope: SearchScope) -> Iterator[tuple[int, str, str]]:
    """Yield key, project and embedder of the collections of what is read by other branches."""
    for key, default in scope.chosen.defaults.items():
        if key not in scope.searched:
            continue
        name = scope.searched[key].name
        if default.is_indexed:
            yield key, name, default.embedder
        for embedder in {branch.embedder for branch in scope.chosen.shown[key] if branch.key}:
            yield others_key(key), name, embedder


class _Ranking(NamedTuple):
    """Hits, best first. `is_cut`: the store may have more; `is_truncated`: and will not tell."""

    hits: list[Candidate]
    is_cut: bool
    is_truncated: bool


def _rank(plan: RetrievalPlan, joiner: Joiner, *, wanted: int, explain: bool) -> _Ranking:
    """Return at least the first `wanted` hits (at most MAX_RESULTS), each definition or file once.

    The first hits do not depend on `wanted`. They are truncated if there are fewer because the
    lists may not grow further. Raises StoreError.
    """
    is_truncated = is_cut = False
    max_score = 1.0
    for batch in candidate_batches(plan):
        ranked = rerank(
            batch,
            mode=plan.mode,
            queries=plan.queries,
            max_score=max_score,
            weights=WEIGHTS_BY_FILE if plan.by_file else WEIGHTS,
            explain=explain,
        )
        joiner.add(ranked)
        max_score = ranked[-1].score if ranked else max_score
        if len(joiner) >= min(wanted, MAX_RESULTS):
            is_cut = True
            break
        is_truncated = batch.is_truncated
    return _Ranking(joiner.hits, is_cut or is_truncated, is_truncated)


def _lacks(
    scope: SearchScope, prepared: _Prepared, ranking: _Ranking, page: Page
) -> Mapping[int, str]:
    """Return why the answer may lack something, by the repository's id: the later, the worse."""
    cut = [item.id for item in scope.selected if not item.incomplete_reason]
    return {
        **dict.fromkeys(cut if ranking.is_truncated else (), "too_many_hits"),
        **(prepared.required.lacks() if prepared.required else {}),
        **dict.fromkeys(page.reindexed, "reindexed"),
        **dict.fromkeys(prepared.unembedded, "embedder_unavailable"),
    }
