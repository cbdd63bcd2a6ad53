"""Pages of searches of commits: of texts that match, the newest first, and of ranked commits."""

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final, NamedTuple

from aeterna_code_search.contract.search import Result, Total
from central.search.confidence import confidence_of
from central.search.hints import OF_CONFIDENCE
from central.search.history.ranked import rank_commits
from central.search.history.results import commit_rows, matched_result, ranked_result
from central.search.history.scan import CommitHit, CommitPlace, CommitSearch
from central.search.query import MAX_RESULTS

HISTORY_COUNT_SECONDS: Final = 0.01  # of them to count on, when a page is full


class Page(NamedTuple):
    """Results, and where the next page begins; None if there is none."""

    results: list[Result]
    following: Any
    match: float | None
    total: Total | None = None
    hint: str | None = None


class _Position(NamedTuple):
    """The last text of a page, and the counts up to it; `is_short`: something was not read."""

    place: Sequence[Any] = CommitPlace()
    matches: int = 0
    files: int = 0
    is_short: bool = False


def matched_page(search: CommitSearch, position: Sequence[Any] | None) -> Page:
    """Return the texts that match after a position, and count on for a moment."""
    begin = _Position(*(position or ()))
    request = search.plan.exact.read.request
    hits: list[CommitHit] = []
    counted: list[CommitHit] = []
    is_whole = True
    until = float("inf")
    with closing(search.hits(CommitPlace(*begin.place))) as found:
        for hit in found:
            if len(hits) < request.limit:
                hits.append(hit)
                continue
            if not counted:
                until = time.monotonic() + HISTORY_COUNT_SECONDS
            counted.append(hit)
            if time.monotonic() > until:
                is_whole = False
                break
    rows = commit_rows({hit.place.id for hit in hits})
    searched = search.scope.searched
    results = [matched_result(hit, rows, searched[hit.repository], request) for hit in hits]
    is_short = begin.is_short or any(hit.is_cut for hit in hits) or bool(search.lacks)
    following = hits[-1].place if counted else search.stopped_at
    return Page(
        results=[result for result in results if result is not None],
        following=None
        if following is None
        else _Position(
            following,
            begin.matches + sum(len(hit.spans) for hit in hits),
            begin.files + len(hits),
            is_short,
        ),
        match=1.0 if hits else None,
        total=Total(
            begin.matches + sum(len(hit.spans) for hit in (*hits, *counted)),
            begin.files + len(hits) + len(counted),
            not is_whole or is_short or search.stopped_at is not None,
        ),
    )


def ranked_page(search: CommitSearch, position: int | None) -> Page:
    """Return the commits that resemble the query's words, the best first."""
    request = search.plan.exact.read.request
    offset = position or 0
    end = min(offset + request.limit, MAX_RESULTS)
    ranking = rank_commits(search, wanted=MAX_RESULTS + 1)
    shown = ranking.commits[offset:end]
    rows = commit_rows(commit.id for commit in shown)
    results = [
        replace(
            ranked_result(row, rows, search.scope.searched[commit.repository], request),
            score=round(commit.score, 4),
            similarity=None if commit.cosine is None else round(commit.cosine, 4),
            matched=ranking.matched(bytes(row.terms)),
        )
        for commit in shown
        if (row := rows.rows.get(commit.id))
    ]
    return Page(
        results=results,
        following=end if len(ranking.commits) > end and end < MAX_RESULTS else None,
        match=ranking.match,
        hint=OF_CONFIDENCE.get(confidence_of(ranking.match)),
    )
