"""Exact searches from request to answer: pages of files with the lines that match."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.search import (
    ContextLine,
    MatchedLine,
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
from central.repositories.visibility import RepositorySnapshot
from central.search.answers import search_answer, search_facets, search_receipt
from central.search.branches import NOWHERE, ResultBranches, branches_of_files, count_files
from central.search.exact.hits import ExactSearch, FileHit
from central.search.exact.matching import EXACT_LINE_CHARACTERS, Lines, matched_lines
from central.search.exact.page import ExactPage, exact_page
from central.search.exact.plan import ExactPlan, exact_plan
from central.search.hints import exact_hint
from central.search.reading import ReadRequest, check_default_branch, read_request
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
        search = ExactSearch(scope, plan, files=EXACT_FILES, seconds=EXACT_SECONDS)
        page = exact_page(search, position=position)
        answer = _answer(search, page, started)
        hint = None
        if not page.hits:
            hint = exact_hint(read, scope, missing=answer.receipt.missing, finds=_finds)
    cursor = None
    if page.following:
        cursor = encode_cursor(request=request, organization=slug, position=page.following)
    return replace(answer, next_cursor=cursor, hint=hint)


def first_lines_in(scope: SearchScope, *, read: ReadRequest, seconds: float) -> SearchAnswer | None:
    """Return the first page of files of the scope that match; None if there is none in time."""
    started, plan = time.perf_counter(), _checked_plan(read)
    with one_moment():
        search = ExactSearch(scope, plan, files=EXACT_FILES, seconds=seconds)
        page = exact_page(search, position=None)
        return _answer(search, page, started) if page.hits else None


def _answer(search: ExactSearch, page: ExactPage, started: float) -> SearchAnswer:
    scope, read = search.scope, search.plan.read
    request = read.request
    scope.owners.read_ahead(
        scope.searched[key] for key in {hit.file.repository for hit in page.hits}
    )
    branches = branches_of_files(scope.chosen, [(hit.file.id, *hit.versions) for hit in page.hits])
    results = [
        _result(hit, read, scope, request.lines, branches.get(hit.file.id, NOWHERE))[0]
        for hit in page.hits
    ]
    facets = None
    if request.facets and not request.cursor:
        # Once each: a file may have several versions.
        files = dict.fromkeys((file.repository, file.path, file.language) for file in page.counted)
        versions = {*(file.id for file in page.counted), *page.versions}
        counts = count_files(scope.chosen, versions)
        facets = search_facets(scope, files, counts, at_least=page.at_least)
    answer = search_answer(
        scope,
        request,
        results,
        lacks=search.lacks,
        match=1.0 if results else None,
        started=started,
        total=Total(page.matches, page.files, page.at_least),
        facets=facets,
    )
    SEARCH_SECONDS.labels(str(request.mode)).observe(answer.receipt.took_ms / 1000)
    return answer


def _finds(scope: SearchScope, read: ReadRequest) -> bool:
    """Return whether something is found in some files, for a moment."""
    plan = exact_plan(read)
    search = ExactSearch(scope, plan, files=EXACT_HINT_FILES, seconds=EXACT_HINT_SECONDS)
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
    if read.commits:
        raise InvalidError(
            "The stream is of files: type:commit and type:diff are answered in pages, by /search."
        )
    check_default_branch(read.refs, "The stream searches")
    if not read.is_exact:
        raise InvalidError(
            "The stream is of exact searches: put the text in quotes, write a /regular "
            "expression/, or set mode to literal, regex or structural."
        )
    return _streamed(credential, _checked_plan(read))


def _streamed(credential: Credential, plan: ExactPlan) -> Iterator[Result | StreamEnd | None]:
    """Yield the results. All up to the first one is read as of one moment, if it comes soon.

    Later no transaction is open between two of them.
    """
    started, read = time.perf_counter(), plan.read
    with one_moment():
        scope = search_scope(credential, read)
        search = ExactSearch(
            scope,
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
    receipt = search_receipt(scope, search.lacks, started=started)
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
        return exact_hint(read, scope, missing=missing, finds=_finds)


def _checked_plan(read: ReadRequest) -> ExactPlan:
    plan = exact_plan(read)
    plan.check_structural()
    return plan


class Restriction(NamedTuple):
    """What a query requires of files (repository's id, path, language).

    `repositories` are to be searched: not those without a value of the query. `lacks` says by
    their ids, when the answer is made, where not all was looked at.
    """

    holds: LineCondition
    repositories: list[int]
    lacks: Callable[[], Mapping[int, str]]


def restriction(read: ReadRequest, scope: SearchScope) -> Restriction:
    """Return what chunks must fulfil beside their rank, for a query with a predicate.

    Literals, patterns and `sym:` are looked up before the ranking: they hold of few files.
    """
    plan = exact_plan(read)
    search = ExactSearch(scope, plan, files=EXACT_FILES, seconds=EXACT_SECONDS)
    searched, values = scope.searched, scope.values(plan.evaluator.reads_values)
    found: set[tuple[int, str]] = set()
    if plan.needs_lookup:
        with one_moment():
            found = {(hit.file.repository, hit.file.path) for hit in search.hits()}

    def holds(repository: int, path: str, language: str) -> bool:
        if plan.needs_lookup:
            return (repository, path) in found
        truth = plan.evaluator.file(
            repository=searched[repository].name,
            path=path,
            language=language,
            values=values.get(repository, {}),
        )
        return truth is True

    repositories = [
        key
        for key, item in searched.items()
        if key not in values or plan.evaluator.repository(item.name, values[key]) is not False
    ]
    return Restriction(holds, repositories, lambda: search.lacks)


def _result(
    hit: FileHit,
    read: ReadRequest,
    scope: SearchScope,
    most_lines: int,
    shown: ResultBranches = NOWHERE,
) -> tuple[Result, bool]:
    """Return the result, and whether the file has more lines that match."""
    repository = scope.searched[hit.file.repository]
    lines = 0 if read.lists_files else most_lines
    owners = scope.owners.listed(repository, hit.file.path)
    return exact_result(
        hit,
        request=read.request,
        repository=repository,
        lines=lines,
        owners=owners,
        shown=shown,
    )


# By a file's rank: the lowest score, and the share of the path rules.
_SCORES: Final = ((0.5, 0.5), (0.5, 0.0), (0.25, 0.25), (0.0, 0.25))


def exact_result(
    hit: FileHit,
    *,
    request: SearchRequest,
    repository: RepositorySnapshot,
    lines: int,
    owners: list[str] | None = None,
    shown: ResultBranches = NOWHERE,
) -> tuple[Result, bool]:
    """Build the result of a file that matches, with at most `lines` of its lines; and if cut.

    Its content is the first block of them with the lines around it; `context` has the lines
    around all of them.
    """
    of_file = Lines(hit.content)
    matched, has_more = matched_lines(of_file, hit.spans, limit=lines, defining=hit.defining)
    block = _first_block(matched, request.expand)
    first, last = (block[0].line, block[-1].line) if block else (1, 1)
    start = max(1, first - request.expand)
    content = of_file.block(start, last + request.expand) if block else ""
    context, is_cut = _context(of_file, matched, request.expand, request.max_content)
    lowest, share = _SCORES[hit.rank]
    repository = shown.repository(repository)
    result = Result(
        project=repository.name,
        commit=repository.commit,
        file=hit.file.path,
        start_line=first,
        end_line=last,
        ranges=[[first, last]],
        language=hit.file.language,
        chunk_type="",
        name="",
        container="",
        score=round(lowest + share * hit.file.factor, 4),
        similarity=None,
        content=content[: request.max_content],
        content_start_line=start,
        truncated=is_cut or len(content) > request.max_content,
        matched=_matched_texts(matched),
        url=repository.url(hit.file.path, first, last),
        why=None,
        lines=matched,
        matches=len(hit.spans),
        context=context,
        generated=hit.file.generated,
        owners=owners,
        branches=shown.names,
    )
    return result, has_more


def _context(
    of_file: Lines, matched: Sequence[MatchedLine], expand: int, most: int
) -> tuple[list[ContextLine], bool]:
    """Return the lines around those that match, with at most `most` characters, and if cut."""
    shown = {line.line for line in matched}
    found: dict[int, ContextLine] = {}
    for line in matched if expand else ():
        first, last = max(1, line.line - expand), min(len(of_file), line.line + expand)
        for number in range(first, last + 1):
            if number in shown:
                continue
            shown.add(number)
            text = of_file.text(number).decode()
            cut = text[:EXACT_LINE_CHARACTERS]
            most -= len(cut) + 1  # its line feed
            if most < 0:
                return _ascending(found), True
            found[number] = ContextLine(number, cut, len(text) > len(cut))
    return _ascending(found), False


def _ascending(lines: Mapping[int, ContextLine]) -> list[ContextLine]:
    return [lines[number] for number in sorted(lines)]


def _matched_texts(lines: Sequence[MatchedLine]) -> list[str]:
    """Return the distinct texts that matched, in order."""
    texts = (line.text[start:end] for line in lines for start, end in line.ranges)
    return list(dict.fromkeys(texts))


def _first_block(lines: Sequence[MatchedLine], expand: int) -> list[MatchedLine]:
    """Return the first lines that follow one another, with no gap between their contexts."""
    block: list[MatchedLine] = []
    for line in lines:
        if block and not 0 < line.line - block[-1].line <= 2 * expand + 1:
            break
        block.append(line)
    return block
