"""Exact searches from request to answer: pages of files with the lines that match."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Final

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.search import (
    Result,
    SearchAnswer,
    SearchRequest,
    StreamEnd,
    Total,
)
from central.db import one_moment
from central.errors import InvalidError
from central.http.streams import STREAM_PORTION_SECONDS
from central.observability.metrics import SEARCH_SECONDS
from central.query.evaluate import RepositoryValues
from central.query.syntax import Query
from central.search.answers import search_answer, search_facets, search_receipt
from central.search.exact.hits import ExactSearch, FileHit, Unread
from central.search.exact.matching import EXACT_MATCHES_OF_FILE
from central.search.exact.page import ExactPage, exact_page
from central.search.exact.plan import ExactPlan, exact_plan
from central.search.exact.verification import check_structural
from central.search.filters import RowFilter, row_filter
from central.search.hints import exact_hint
from central.search.line_results import exact_result
from central.search.reading import ReadRequest, read_request
from central.search.scope import SearchScope, decode_cursor, encode_cursor, search_scope
from central.tenancy.credentials import Credential

EXACT_FILES: Final = 20_000  # candidates that one page orders and reads
EXACT_HINT_FILES: Final = 1_000  # candidates that an empty answer looks at to explain itself
EXACT_HINT_SECONDS: Final = 0.2  # for each question of it
EXACT_STREAM_MATCHES_OF_FILE: Final = 50_000
EXACT_SECONDS: Final = 3.0  # for a page
EXACT_STREAM_SECONDS: Final = 60.0
EXACT_STREAM_FILES: Final = 200_000  # candidates that a stream orders and reads
LineCondition = Callable[[int, str, str], bool]


def find_lines(
    *, credential: Credential, request: SearchRequest, read: ReadRequest
) -> SearchAnswer:
    """Return a page of files that match, with their lines.

    All of it is read as of one moment. Raises InvalidError for the cursor of another search and
    for a structural pattern that cannot be used, QueryError for another pattern.
    """
    started = time.perf_counter()
    slug = credential.organization.slug
    position = decode_cursor(request=request, organization=slug)
    plan = _checked_plan(read)
    with one_moment():
        scope = search_scope(credential, read)
        search = _exact_search(scope, read, plan, files=EXACT_FILES, seconds=EXACT_SECONDS)
        page = exact_page(
            search, position=position, limit=request.limit, repositories=scope.fingerprint
        )
        answer = _answer(read, scope, page, _reasons(scope, plan, search.unread), started)
        hint = None
        if not page.hits:
            finds = partial(_finds, scope, read)
            hint = exact_hint(read, scope, missing=answer.receipt.missing, finds=finds)
    cursor = None
    if page.following:
        cursor = encode_cursor(request=request, organization=slug, position=page.following)
    return replace(answer, next_cursor=cursor, hint=hint)


def first_lines_in(scope: SearchScope, *, read: ReadRequest, seconds: float) -> SearchAnswer | None:
    """Return the first page of files of the scope that match; None if there is none in time."""
    started, plan = time.perf_counter(), _checked_plan(read)
    with one_moment():
        search = _exact_search(scope, read, plan, files=EXACT_FILES, seconds=seconds)
        page = exact_page(search, position=None, limit=read.request.limit)
        if not page.hits:
            return None
        return _answer(read, scope, page, _reasons(scope, plan, search.unread), started)


def _answer(
    read: ReadRequest,
    scope: SearchScope,
    page: ExactPage,
    lacks: Mapping[int, str],
    started: float,
) -> SearchAnswer:
    request = read.request
    scope.owners.read_ahead(
        scope.searched[key] for key in {hit.file.repository for hit in page.hits}
    )
    results = [_result(hit, read, scope, request.lines)[0] for hit in page.hits]
    facets = None
    if request.facets and not request.cursor:
        files = ((file.repository, file.path, file.language) for file in page.counted)
        facets = search_facets(scope, files, at_least=page.at_least)
    answer = search_answer(
        scope,
        request,
        results,
        lacks=lacks,
        match=1.0 if results else None,
        started=started,
        total=Total(page.matches, page.files, page.at_least),
        facets=facets,
    )
    SEARCH_SECONDS.labels(str(request.mode)).observe(answer.receipt.took_ms / 1000)
    return answer


def _finds(scope: SearchScope, read: ReadRequest, query: Query, is_restricted: bool) -> bool:
    """Return whether another query finds something in some files, for a moment."""
    rows = row_filter(read.request) if is_restricted else RowFilter()
    plan = exact_plan(query, language=read.request.language)
    search = ExactSearch(
        plan,
        scope.searched,
        values=_values(scope, plan),
        rows=rows,
        files=EXACT_HINT_FILES,
        seconds=EXACT_HINT_SECONDS,
        within=read.within if is_restricted else "",
    )
    with closing(search.hits()) as found:
        return next(found, None) is not None


def every_match(
    *, credential: Credential, request: SearchRequest
) -> Iterator[Result | StreamEnd | None]:
    """Return every file that matches, as far as a minute allows, then the receipt.

    None stands for a file that does not match: the caller may stop there. Raises InvalidError
    before the first one, if the query is not one of exact search.
    """
    read = read_request(request)
    if not read.is_exact:
        raise InvalidError(
            "The stream is of exact searches: put the text in quotes, write a /regular "
            "expression/, or set mode to literal, regex or structural."
        )
    return _streamed(credential, read, _checked_plan(read))


def _streamed(
    credential: Credential, read: ReadRequest, plan: ExactPlan
) -> Iterator[Result | StreamEnd | None]:
    """Yield the results. All up to the first one is read as of one moment, if it comes soon.

    Later no transaction is open between two of them.
    """
    started = time.perf_counter()
    with one_moment():
        scope = search_scope(credential, read)
        search = _exact_search(
            scope,
            read,
            plan,
            files=EXACT_STREAM_FILES,
            seconds=EXACT_STREAM_SECONDS,
            matches=EXACT_STREAM_MATCHES_OF_FILE,
        )
        steps = search.steps()
        first = _first(steps)
    is_empty = True
    for hit in chain([first], steps):
        if hit is None:
            yield None
            continue
        is_empty = False
        result, has_more = _result(hit, read, scope, EXACT_STREAM_MATCHES_OF_FILE)
        if hit.is_cut or (has_more and not read.lists_files):
            search.unread.add([hit.file.repository], "too_many_matches")
        yield result
    receipt = search_receipt(scope, _reasons(scope, plan, search.unread), started=started)
    hint = _hint(credential, read, receipt.missing) if is_empty else None
    yield StreamEnd(receipt, hint)


def _first(steps: Iterable[FileHit | None]) -> FileHit | None:
    """Return the first hit, or None if there is none for a moment."""
    until = time.monotonic() + STREAM_PORTION_SECONDS
    for hit in steps:
        if hit is not None or time.monotonic() > until:
            return hit
    return None


def _hint(credential: Credential, read: ReadRequest, missing: list[MissingProject]) -> str:
    with one_moment():
        scope = search_scope(credential, read)
        return exact_hint(read, scope, missing=missing, finds=partial(_finds, scope, read))


def _checked_plan(read: ReadRequest) -> ExactPlan:
    plan = exact_plan(read.query, language=read.request.language)
    check_structural(plan)
    return plan


@dataclass(frozen=True, slots=True)
class Restriction:
    """What a query requires of files, and the repositories in which that is not known of all."""

    holds: LineCondition
    unread: Unread
    plan: ExactPlan
    scope: SearchScope

    @property
    def reasons(self) -> Mapping[int, str]:
        """Why the answer may lack something, by the repository's id."""
        return _reasons(self.scope, self.plan, self.unread)

    def repositories(self) -> list[int]:
        """Return the ids of repositories to search: not those without a value of the query."""
        values = _values(self.scope, self.plan)
        return [
            key
            for key, item in self.scope.searched.items()
            if key not in values
            or self.plan.evaluator.repository(item.name, values[key]) is not False
        ]


def restriction(read: ReadRequest, scope: SearchScope) -> Restriction | None:
    """Return what chunks must fulfil beside their rank; None if nothing is required.

    Literals, patterns and `sym:` are looked up before the ranking: they hold of few files.
    """
    if read.query.predicate is None:
        return None
    plan = exact_plan(read.query, language=read.request.language)
    if not plan.needs_lookup:
        return Restriction(_of_names(plan, scope), Unread(), plan, scope)
    search = ExactSearch(
        plan,
        scope.searched,
        values=_values(scope, plan),
        rows=row_filter(read.request),
        files=EXACT_FILES,
        seconds=EXACT_SECONDS,
    )
    with one_moment():
        found = {(hit.file.repository, hit.file.path) for hit in search.hits()}
    return Restriction(_among(found), search.unread, plan, scope)


def _of_names(plan: ExactPlan, scope: SearchScope) -> LineCondition:
    searched, values = scope.searched, _values(scope, plan)

    def holds(repository: int, path: str, language: str) -> bool:
        truth = plan.evaluator.file(
            repository=searched[repository].name,
            path=path,
            language=language,
            values=values.get(repository, {}),
        )
        return truth is True

    return holds


def _values(scope: SearchScope, plan: ExactPlan) -> Mapping[int, RepositoryValues]:
    return scope.values(plan.evaluator.reads_values)


def _reasons(scope: SearchScope, plan: ExactPlan, unread: Unread) -> Mapping[int, str]:
    """Return why the answer may lack something, by the repository's id."""
    return scope.values_unread(plan.evaluator.reads_values) | unread.reasons


def _among(found: Collection[tuple[int, str]]) -> LineCondition:
    return lambda repository, path, _: (repository, path) in found


def _exact_search(
    scope: SearchScope,
    read: ReadRequest,
    plan: ExactPlan,
    *,
    files: int,
    seconds: float,
    matches: int = EXACT_MATCHES_OF_FILE,
) -> ExactSearch:
    return ExactSearch(
        plan,
        scope.searched,
        values=_values(scope, plan),
        rows=row_filter(read.request),
        files=files,
        seconds=seconds,
        within=read.within,
        matches=matches,
    )


def _result(
    hit: FileHit, read: ReadRequest, scope: SearchScope, most_lines: int
) -> tuple[Result, bool]:
    """Return the result, and whether the file has more lines that match."""
    repository = scope.searched[hit.file.repository]
    lines = 0 if read.lists_files else most_lines
    result, has_more = exact_result(hit, request=read.request, repository=repository, lines=lines)
    owners = scope.owners.listed(repository, hit.file.path)
    return replace(result, owners=owners), has_more
