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
    LAST_PAGE,
    Callees,
    Callers,
    Link,
    Receipt,
    ShownDefinition,
    Unresolved,
    UnresolvedSite,
    hint_for,
    missing_projects,
    receipt_of,
    shown_definition,
)
from central.trace.callees import find_callees, owner_of
from central.trace.callers import MAX_OPEN, SAMPLE, Step, walk_callers
from central.trace.links import links
from central.trace.request_scope import Sight, chosen_definitions, sight_of
from central.trace.requests import TraceRequest
from central.trace.resolve.definitions import MAX_DEFINITIONS, Definition, definitions_at
from central.trace.resolve.engine import limits_met
from central.trace.resolve.questions import Key
from central.trace.resolve.references import Site

_Place: TypeAlias = tuple[str, str, int, int]


class Page(NamedTuple):
    """Some of the steps, and the position at which those after them begin, as JSON."""

    steps: Sequence[Step]
    following: list[str | int] | None


def in_order(sight: Sight, steps: Iterable[Step]) -> list[Step]:
    """By project, file, line and column."""
    return sorted(
        steps,
        key=lambda step: (_place(sight, step), step.depth, step.target, step.edge.target),
    )


def page_from(
    sight: Sight, steps: Sequence[Step], position: Sequence[str | int] | None, limit: int
) -> Page:
    """At most `limit` of the ordered steps, from `position` on; None: from the first on."""
    start = _start(sight, steps, position) if position else 0
    end = start + limit
    if end >= len(steps):
        return Page(steps[start:], None)
    place = _place(sight, steps[end])
    before = end - bisect_left(steps, place, key=lambda step: _place(sight, step))
    return Page(steps[start:end], [*place, before])


def _start(sight: Sight, steps: Sequence[Step], position: Sequence[str | int]) -> int:
    """Steps of one reference are told apart by how many of them stand before."""
    *parts, before = position
    place = tuple(parts)
    first = bisect_left(steps, place, key=lambda step: _place(sight, step))
    behind = bisect_right(steps, place, key=lambda step: _place(sight, step))
    return min(first + int(before), behind)


def _place(sight: Sight, step: Step) -> _Place:
    site = step.edge.site
    return sight.repositories[site.repository].name, site.path, site.line, site.column


_SALT: Final = "central.trace.place"

_T = TypeVar("_T")


class _Traced(NamedTuple):
    """All that was found, before a page of it is shown."""

    chosen: list[Definition]
    steps: list[Step]
    definitions: dict[Key, Definition]
    open_count: int
    open_sample: list[Site]
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
    with trace_span(credential, "callers and callees", upwards.choice.symbol) as told:
        first, second = steadily(credential, lambda sight: (up(sight), down(sight)))
        told.set_attributes(resultCount=first.count + second.count)
    return Callers(*first), Callees(*second)


def steadily(credential: Credential, attempt: Callable[[Sight], _T]) -> _T:
    """Do it once more if a repository was indexed meanwhile, so that all is of one commit."""
    sight = sight_of(credential)
    result = attempt(sight)
    if not have_moved(sight.repositories.values()):
        return result
    return attempt(sight_of(credential))


def _answer(
    what: str,
    find: Callable[[Sight, TraceRequest], _Traced],
    credential: Credential,
    request: TraceRequest,
) -> "_Page":
    attempt = _attempt(what, find, credential, request)
    with trace_span(credential, what, request.choice.symbol) as told:
        page = steadily(credential, attempt)
        told.set_attributes(resultCount=page.count)
    return page


def _attempt(
    what: str,
    find: Callable[[Sight, TraceRequest], _Traced],
    credential: Credential,
    request: TraceRequest,
) -> Callable[[Sight], "_Page"]:
    """What makes the page of what is seen. Raises InvalidError for another request's cursor."""
    started = time.perf_counter()
    organization = credential.organization.slug
    asked = [organization, what, asdict(replace(request, cursor="", limit=1))]
    position = decode_cursor(request.cursor, salt=_SALT, asked=asked)

    def attempt(sight: Sight) -> "_Page":
        traced = find(sight, request)
        steps = in_order(sight, _wanted(sight, traced.steps, request.caller_projects))
        page, following = page_from(sight, steps, position, request.limit)
        cursor = encode_cursor(salt=_SALT, asked=asked, position=following) if following else None
        missing = missing_projects(
            list(sight.repositories.values()), sight.unknown(request.caller_projects)
        )
        unresolved = unresolved_of(sight, traced.open_count, traced.open_sample)
        receipt = receipt_of(
            sight.repositories.values(),
            missing=missing,
            unresolved=unresolved,
            cut=traced.cut,
            seconds=time.perf_counter() - started,
        )
        return _Page(
            request.choice.symbol,
            [shown_definition(one, sight.repositories[one.repository]) for one in traced.chosen],
            links(sight, page, traced.definitions),
            len(page),
            cursor,
            receipt,
            None if page else _hint(request, what, receipt),
        )

    return attempt


def _hint(request: TraceRequest, what: str, receipt: Receipt) -> str:
    if request.cursor:
        return LAST_PAGE
    return hint_for(
        what,
        least=request.min_confidence,
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
    receipt: Receipt
    hint: str | None


def unresolved_of(sight: Sight, count: int, sample: Sequence[Site]) -> Unresolved:
    """The receipt's part on references of which nothing is known."""
    return Unresolved(
        min(count, MAX_OPEN),
        count > MAX_OPEN,
        [
            UnresolvedSite(sight.repositories[s.repository].name, s.path, s.line, s.name)
            for s in sample[:SAMPLE]
        ],
    )


def trace_span(credential: Credential, what: str, symbol: str) -> AbstractContextManager[Span]:
    """One span for each trace; `resultCount` is to be noted."""
    slug = credential.organization.slug
    return span("code.trace", organization=slug, what=what, symbol=symbol)


def _callers(sight: Sight, request: TraceRequest) -> _Traced:
    chosen, has_more = chosen_definitions(sight, request.choice)
    walk = walk_callers(sight.inquiry, chosen, depth=request.depth, least=request.min_confidence)
    return _Traced(
        chosen,
        walk.steps,
        walk.definitions,
        walk.first.open_count,
        walk.first.open_sample,
        [*cut_definitions(has_more), *sorted(walk.cut), *limits_met(sight.inquiry)],
    )


def _callees(sight: Sight, request: TraceRequest) -> _Traced:
    chosen, has_more = chosen_definitions(sight, request.choice)
    used = find_callees(sight.inquiry, [one.key for one in chosen], least=request.min_confidence)
    definitions = definitions_at(sight.inquiry, {edge.target for edge in used.edges})
    owner = {one.key: index for index, one in enumerate(chosen)}
    steps = [
        Step(edge, 1, owner[owner_of(edge.site, owner)])
        for edge in used.edges
        if edge.target in definitions
    ]
    cut = [*cut_definitions(has_more), *limits_met(sight.inquiry)]
    return _Traced(chosen, steps, definitions, len(used.open), used.open, cut)


def _wanted(sight: Sight, steps: Sequence[Step], projects: Sequence[str]) -> Sequence[Step]:
    """The steps whose callers are in one of the projects; without any, all."""
    if not projects:
        return steps
    ids = {one.id for one in sight.repositories.values() if one.name in projects}
    return [step for step in steps if step.edge.site.repository in ids]


def cut_definitions(has_more: bool) -> list[str]:
    """What the receipt says where a name has more definitions than are traced."""
    if not has_more:
        return []
    return [
        f"The name has more than {MAX_DEFINITIONS} definitions, of which the first were traced; "
        "give a qualified name, project or file."
    ]
