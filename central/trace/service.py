"""Callers and callees as answers, page by page."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from typing import Final, NamedTuple, TypeAlias, TypeVar

from central.http.cursors import decode_cursor, encode_cursor
from central.observability.tracing import Span, span
from central.repositories.visibility import have_moved
from central.tenancy.credentials import Credential
from central.trace.answers import (
    Callees,
    Callers,
    Link,
    ShownDefinition,
    TraceReceipt,
    shown_definition,
)
from central.trace.callees import enclosing_definition, find_callees
from central.trace.callers import Step, transitive_callers
from central.trace.links import links
from central.trace.receipts import (
    LAST_PAGE,
    cut_definitions,
    hint_for,
    missing_projects,
    receipt_of,
    unresolved_of,
)
from central.trace.request_scope import TraceScope, scope_for, selected_definitions
from central.trace.requests import TraceRequest
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.engine import limits_met
from central.trace.resolve.questions import Key
from central.trace.resolve.references import ReferenceSite

_Place: TypeAlias = tuple[str, str, int, int]


class Page(NamedTuple):
    """Some of the steps, and the position at which those after them begin, as JSON."""

    steps: Sequence[Step]
    next_position: list[str | int] | None


def in_order(scope: TraceScope, steps: Iterable[Step]) -> list[Step]:
    """By project, file, line and column."""
    return sorted(
        steps,
        key=lambda step: (_place(scope, step), step.depth, step.target, step.edge.target),
    )


def page_from(
    scope: TraceScope, steps: Sequence[Step], position: Sequence[str | int] | None, limit: int
) -> Page:
    """At most `limit` of the ordered steps, from `position` on; None: from the first on."""
    start = _start(scope, steps, position) if position else 0
    end = start + limit
    if end >= len(steps):
        return Page(steps[start:], None)
    place = _place(scope, steps[end])
    before = end - bisect_left(steps, place, key=lambda step: _place(scope, step))
    return Page(steps[start:end], [*place, before])


def _start(scope: TraceScope, steps: Sequence[Step], position: Sequence[str | int]) -> int:
    """Steps of one reference are told apart by how many of them stand before."""
    *parts, before = position
    place = tuple(parts)
    first = bisect_left(steps, place, key=lambda step: _place(scope, step))
    behind = bisect_right(steps, place, key=lambda step: _place(scope, step))
    return min(first + int(before), behind)


def _place(scope: TraceScope, step: Step) -> _Place:
    site = step.edge.site
    return scope.repositories[site.repository].name, site.path, site.line, site.column


_SALT: Final = "central.trace.place"

_T = TypeVar("_T")


class TraceResult(NamedTuple):
    """All that was found, before a page of it is shown."""

    chosen: list[Definition]
    steps: list[Step]
    definitions: dict[Key, Definition]
    unresolved_count: int
    unresolved_sample: list[ReferenceSite]
    cut: list[str]


def callers(*, credential: Credential, request: TraceRequest) -> Callers:
    """The page of references that lead to the symbol's definitions, in what is seen.

    Raises NotFoundError for what is not there, InvalidError for the cursor of another request.
    """
    return Callers(*_answer("callers", _callers, credential, request))


def callees(*, credential: Credential, request: TraceRequest) -> Callees:
    """The page of references that stand in the symbol's definitions, with what they lead to."""
    return Callees(*_answer("callees", _callees, credential, request))


def callers_and_callees(
    *, credential: Credential, upwards: TraceRequest, downwards: TraceRequest
) -> tuple[Callers, Callees]:
    """Both, of the same commits; what one of them has read, the other does not read again.

    So limits that the first has met are in the second's receipt too. Raises as the others do.
    """
    up = _attempt("callers", _callers, credential, upwards)
    down = _attempt("callees", _callees, credential, downwards)
    with trace_span(credential, "callers and callees", upwards.selector.symbol) as current:
        first, second = retry_if_reindexed(credential, lambda scope: (up(scope), down(scope)))
        current.note(resultCount=first.count + second.count)
    return Callers(*first), Callees(*second)


def retry_if_reindexed(credential: Credential, attempt: Callable[[TraceScope], _T]) -> _T:
    """Do it once more if a repository was indexed meanwhile, so that all is of one commit."""
    scope = scope_for(credential)
    result = attempt(scope)
    if not have_moved(scope.repositories.values()):
        return result
    return attempt(scope_for(credential))


def _answer(
    what: str,
    find: Callable[[TraceScope, TraceRequest], TraceResult],
    credential: Credential,
    request: TraceRequest,
) -> "_Page":
    attempt = _attempt(what, find, credential, request)
    with trace_span(credential, what, request.selector.symbol) as current:
        page = retry_if_reindexed(credential, attempt)
        current.note(resultCount=page.count)
    return page


def _attempt(
    what: str,
    find: Callable[[TraceScope, TraceRequest], TraceResult],
    credential: Credential,
    request: TraceRequest,
) -> Callable[[TraceScope], "_Page"]:
    """What makes the page of what is seen. Raises InvalidError for another request's cursor."""
    started = time.perf_counter()
    organization = credential.organization.slug
    fields = asdict(replace(request, cursor="", limit=1))
    fields["choice"] = fields.pop("selector")  # the name in the fingerprint of cursors
    asked = [organization, what, fields]
    position = decode_cursor(request.cursor, salt=_SALT, asked=asked)

    def attempt(scope: TraceScope) -> "_Page":
        result = find(scope, request)
        steps = in_order(scope, _wanted(scope, result.steps, request.caller_projects))
        page, next_position = page_from(scope, steps, position, request.limit)
        cursor = (
            encode_cursor(salt=_SALT, asked=asked, position=next_position)
            if next_position
            else None
        )
        missing = missing_projects(
            list(scope.repositories.values()), scope.unknown(request.caller_projects)
        )
        unresolved = unresolved_of(scope, result.unresolved_count, result.unresolved_sample)
        receipt = receipt_of(
            scope.repositories.values(),
            missing=missing,
            unresolved=unresolved,
            cut=result.cut,
            seconds=time.perf_counter() - started,
        )
        return _Page(
            request.selector.symbol,
            [shown_definition(one, scope.repositories[one.repository]) for one in result.chosen],
            links(scope, page, result.definitions),
            len(page),
            cursor,
            receipt,
            None if page else _hint(request, what, receipt),
        )

    return attempt


def _hint(request: TraceRequest, what: str, receipt: TraceReceipt) -> str:
    if request.cursor:
        return LAST_PAGE
    return hint_for(
        what,
        min_confidence=request.min_confidence,
        unresolved=receipt.unresolved.count,
        missing=receipt.missing,
        is_narrowed=bool(request.caller_projects),
    )


class _Page(NamedTuple):
    """What Callers and Callees are made of, in their order."""

    symbol: str
    definitions: list[ShownDefinition]
    links: list[Link]
    count: int  # type: ignore[assignment]
    next_cursor: str | None
    receipt: TraceReceipt
    hint: str | None


def trace_span(credential: Credential, what: str, symbol: str) -> AbstractContextManager[Span]:
    """One span for each trace; `resultCount` is to be noted."""
    slug = credential.organization.slug
    return span("code.trace", organization=slug, what=what, symbol=symbol)


def _callers(scope: TraceScope, request: TraceRequest) -> TraceResult:
    chosen, has_more = selected_definitions(scope, request.selector)
    traversal = transitive_callers(
        scope.resolver, chosen, depth=request.depth, min_confidence=request.min_confidence
    )
    return TraceResult(
        chosen,
        traversal.steps,
        traversal.definitions,
        traversal.first.unresolved_count,
        traversal.first.unresolved_sample,
        [*cut_definitions(has_more), *sorted(traversal.cut), *limits_met(scope.resolver)],
    )


def _callees(scope: TraceScope, request: TraceRequest) -> TraceResult:
    chosen, has_more = selected_definitions(scope, request.selector)
    used = find_callees(
        scope.resolver, [one.key for one in chosen], min_confidence=request.min_confidence
    )
    definitions = definitions_at(scope.resolver, {edge.target for edge in used.edges})
    owner = {one.key: index for index, one in enumerate(chosen)}
    steps = [
        Step(edge, 1, owner[enclosing_definition(edge.site, owner)])
        for edge in used.edges
        if edge.target in definitions
    ]
    cut = [*cut_definitions(has_more), *limits_met(scope.resolver)]
    return TraceResult(chosen, steps, definitions, len(used.open), used.open, cut)


def _wanted(scope: TraceScope, steps: Sequence[Step], projects: Sequence[str]) -> Sequence[Step]:
    """The steps whose callers are in one of the projects; without any, all."""
    if not projects:
        return steps
    ids = {one.id for one in scope.repositories.values() if one.name in projects}
    return [step for step in steps if step.edge.site.repository in ids]
