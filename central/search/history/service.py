"""Searches of commits from request to answer: what matches newest first, words by their rank."""

import time
from dataclasses import replace

from aeterna_code_search.contract.search import SearchAnswer, SearchRequest
from central.db import one_moment
from central.observability.metrics import SEARCH_SECONDS
from central.search.answers import search_answer
from central.search.history.authors import author_test
from central.search.history.hints import commits_hint
from central.search.history.page import matched_page, ranked_page
from central.search.history.plan import commit_plan
from central.search.history.scan import HISTORY_SECONDS, CommitSearch
from central.search.reading import ReadRequest
from central.search.scope import decode_cursor, encode_cursor, search_scope
from central.tenancy.credentials import Credential


def search_commits(
    *, credential: Credential, request: SearchRequest, read: ReadRequest
) -> SearchAnswer:
    """Return a page of commits, or of what they changed.

    All of it is read as of one moment. Raises InvalidError for the cursor of another search,
    QueryError for a pattern.
    """
    started = time.perf_counter()
    slug = credential.organization.slug
    position = decode_cursor(request=request, organization=slug)
    plan = commit_plan(read)
    with one_moment():
        scope = search_scope(credential, read)
        search = CommitSearch(
            scope,
            plan,
            author_test(plan.question, credential.organization),
            credential.organization.author_policy,
            seconds=HISTORY_SECONDS,
        )
        page = (matched_page if read.is_exact else ranked_page)(search, position)
        answer = search_answer(
            scope,
            request,
            page.results,
            lacks=search.lacks,
            match=page.match,
            started=started,
            total=page.total,
        )
        hint = page.hint
        if not page.results:
            hint = commits_hint(search, request, answer.receipt.missing)
    cursor = None
    if page.following is not None:
        cursor = encode_cursor(request=request, organization=slug, position=page.following)
    SEARCH_SECONDS.labels(str(request.mode)).observe(answer.receipt.took_ms / 1000)
    return replace(answer, next_cursor=cursor, hint=hint)
