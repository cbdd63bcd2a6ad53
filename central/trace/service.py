"""Callers and callees as pages of an answer."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any, Final, NamedTuple, TypeAlias

from aeterna_code_search.contract.projects import OwnerCount
from aeterna_code_search.contract.trace import (
    Callees,
    Callers,
    FilePosition,
    Link,
    MeantDefinition,
    NameInFile,
    References,
    ReferencesRequest,
    TraceReceipt,
    TraceRequest,
)
from central.http.cursors import decode_cursor, encode_cursor
from central.owners.reading import owner_counts
from central.tenancy.credentials import Credential
from central.trace import unread_manifests
from central.trace.callees import enclosing_definition, find_callees
from central.trace.callers import transitive_callers
from central.trace.edges import Step, without_repeated
from central.trace.imports import edges_to_imported
from central.trace.links import links, shown_definition
from central.trace.position import meaning_at
from central.trace.receipts import (
    LAST_PAGE,
    callers_receipt,
    hint_for,
    partly_parsed_inside,
    trace_receipt,
)
from central.trace.request_scope import (
    TraceScope,
    of_position,
    of_selector,
    selected_definitions,
)
from central.trace.resolve.definitions import Definition, definitions_at
from central.trace.resolve.import_sites import IMPORT
from central.trace.resolve.questions import Key
from central.trace.resolve.references import sites_within

_SortKey: TypeAlias = tuple[str, str, int, int]
_Request: TypeAlias = TraceRequest | ReferencesRequest


def in_order(scope: TraceScope, steps: Iterable[Step]) -> list[Step]:
    """Sort steps by project, file, line and column."""
    return sorted(
        steps,
        key=lambda step: (_sort_key(scope, step), step.depth, step.target, step.edge.target),
    )


def page_from(
    scope: TraceScope, steps: Sequence[Step], position: Sequence[str | int] | None, limit: int
) -> tuple[Sequence[Step], list[str | int] | None]:
    """Return at most `limit` of the sorted steps, and the position of the next one as JSON.

    They begin at `position` or the first.
    """
    start = _start(scope, steps, position) if position else 0
    end = start + limit
    if end >= len(steps):
        return steps[start:], None
    key = _sort_key(scope, steps[end])
    before = end - bisect_left(steps, key, key=lambda step: _sort_key(scope, step))
    return steps[start:end], [*key, before]


def _start(scope: TraceScope, steps: Sequence[Step], position: Sequence[str | int]) -> int:
    """Return a position's index; its last part counts earlier steps of the same reference."""
    *parts, before = position
    key = tuple(parts)
    first = bisect_left(steps, key, key=lambda step: _sort_key(scope, step))
    behind = bisect_right(steps, key, key=lambda step: _sort_key(scope, step))
    return min(first + int(before), behind)


def _sort_key(scope: TraceScope, step: Step) -> _SortKey:
    site = step.edge.site
    return scope.repositories[site.repository].name, site.path, site.line, site.column


_SALT: Final = "central.trace.place"


class TraceResult(NamedTuple):
    """The complete result in order, before a page is taken from it."""

    chosen: list[Definition]
    steps: list[Step]
    definitions: dict[Key, Definition]
    receipt: TraceReceipt


def callers(*, credential: Credential, request: TraceRequest) -> Callers:
    """Return a page of the visible references to the symbol's definitions.

    Raises NotFoundError for an unknown project, file or symbol, and InvalidError for the cursor of
    another request.
    """
    symbol = request.selector.symbol
    with of_selector(credential, "callers", request.selector) as scope:
        page = _page("callers", scope, request, lambda: _callers(scope, request))
        scope.span.set_attributes(resultCount=page.count)
    return Callers(symbol, *page)


def callees(*, credential: Credential, request: TraceRequest) -> Callees:
    """Return a page of the references in the symbol's definitions, with their definitions."""
    symbol = request.selector.symbol
    with of_selector(credential, "callees", request.selector) as scope:
        page = _page("callees", scope, request, lambda: _callees(scope, request))
        scope.span.set_attributes(resultCount=page.count)
    return Callees(symbol, *page.shown)


def callers_and_callees(
    *, credential: Credential, upwards: TraceRequest, downwards: TraceRequest
) -> tuple[Callers, Callees]:
    """Return both for the same commits; they share what was read.

    So limits that the first has met are in the second's receipt too. Raises as the others do.
    """
    with of_selector(credential, "callers and callees", upwards.selector) as scope:
        up = _page("callers", scope, upwards, lambda: _callers(scope, upwards))
        down = _page("callees", scope, downwards, lambda: _callees(scope, downwards))
        scope.span.set_attributes(resultCount=up.count + down.count)
    return (
        Callers(upwards.selector.symbol, *up),
        Callees(downwards.selector.symbol, *down.shown),
    )


def references(*, credential: Credential, request: ReferencesRequest) -> References:
    """Return a page of the visible references to what the name at a position means.

    That is the definitions with at least the asked confidence. Raises as `definition_at` does, and
    InvalidError for the cursor of another request.
    """
    with of_position(credential, "references", request.position) as scope:
        meaning = meaning_at(scope, request.position)
        chosen, shown = meaning.at_least(request.min_confidence)
        page = _page("references", scope, request, lambda: _callers_of(scope, chosen, request))
        scope.span.set_attributes(resultCount=page.count)
    hint = meaning.reason or page.hint
    return References(meaning.name, *page._replace(definitions=shown, hint=hint).shown)


class ProjectUses(NamedTuple):
    """How often a repository uses what a name means, and the first places."""

    project: str
    use_count: int
    links: list[Link]


class NameUses(NamedTuple):
    """What a name at a position means, as `definition_at` and `references` answer.

    `projects` are the first of `project_count`: the name's own, then by descending count.
    """

    name: NameInFile
    definitions: list[MeantDefinition]
    projects: list[ProjectUses]
    project_count: int
    use_count: int
    receipt: TraceReceipt
    hint: str | None


def uses_by_project(
    *, credential: Credential, position: FilePosition, projects: int, links_of_each: int
) -> NameUses:
    """Return what the name at a position means, and its visible references by repository.

    These are the references of the first page, and of all further pages, of `references`. Raises as
    `definition_at` does.
    """
    asked = ReferencesRequest(position)
    with of_position(credential, "references", position) as scope:
        meaning = meaning_at(scope, position)
        chosen, _ = meaning.at_least(asked.min_confidence)
        found = _callers_of(scope, chosen, asked)
        steps = found.steps
        by_project: dict[str, list[Step]] = defaultdict(list)
        for step in steps:
            by_project[scope.repositories[step.edge.site.repository].name].append(step)
        order = sorted(
            by_project,
            key=lambda name: (name != position.project, -len(by_project[name]), name),
        )
        shown = [
            ProjectUses(
                name,
                len(by_project[name]),
                links(scope, by_project[name][:links_of_each], found.definitions),
            )
            for name in order[:projects]
        ]
        scope.span.set_attributes(resultCount=len(steps))
    hint = meaning.reason or None
    return NameUses(meaning.name, meaning.shown, shown, len(order), len(steps), found.receipt, hint)


class _Page(NamedTuple):
    """The fields of Callers behind the symbol, in their order."""

    definitions: list[Any]  # ShownDefinition, or MeantDefinition
    links: list[Link]
    count: int  # type: ignore[assignment]
    next_cursor: str | None
    receipt: TraceReceipt
    hint: str | None
    owners: list[OwnerCount]

    @property
    def shown(self) -> tuple[Any, ...]:
        """The fields that Callees and References have, too."""
        return tuple(self[:-1])


def _page(
    what: str, scope: TraceScope, request: _Request, find: Callable[[], TraceResult]
) -> _Page:
    """Find what is asked for, and take a page. Raises InvalidError for another request's cursor."""
    fields = asdict(replace(request, cursor="", limit=1))
    if "selector" in fields:
        fields["choice"] = fields.pop("selector")  # the name in the fingerprint of cursors
    place = fields["choice" if "choice" in fields else "position"]
    if not place["ref"]:
        del place["ref"]
    if not request.kind:
        del fields["kind"]
    asked = [scope.organization, what, fields]
    position = decode_cursor(request.cursor, salt=_SALT, asked=asked)
    result = find()
    steps = _wanted(scope, result.steps, request.caller_projects)
    page, following = page_from(scope, steps, position, request.limit)
    cursor = encode_cursor(salt=_SALT, asked=asked, position=following) if following else None
    return _Page(
        [
            shown_definition(definition, scope.repositories[definition.repository])
            for definition in result.chosen
        ],
        links(scope, page, result.definitions),
        len(page),
        cursor,
        result.receipt,
        None if page else _hint(scope, request, what, result.receipt),
        owners_of_steps(scope, steps) if what == "callers" else [],
    )


def owners_of_steps(scope: TraceScope, steps: Iterable[Step]) -> list[OwnerCount]:
    """Count steps by the owners of the files that the references are in."""
    sites = (step.edge.site for step in steps)
    places = ((scope.repositories[site.repository], site.path) for site in sites)
    return owner_counts(scope.owners, places)


def _hint(scope: TraceScope, request: _Request, what: str, receipt: TraceReceipt) -> str:
    if request.cursor:
        return LAST_PAGE
    return hint_for(
        scope,
        what,
        receipt,
        min_confidence=request.min_confidence,
        has_projects=bool(request.caller_projects),
        has_kinds=bool(request.kind),
    )


def _callers(scope: TraceScope, request: TraceRequest) -> TraceResult:
    chosen, cut = selected_definitions(scope, request.selector)
    return _callers_of(scope, chosen, request, depth=request.depth, cut=cut)


def _callers_of(
    scope: TraceScope,
    chosen: list[Definition],
    request: _Request,
    *,
    depth: int = 1,
    cut: Sequence[str] = (),
) -> TraceResult:
    found = transitive_callers(
        scope.resolver,
        chosen,
        depth=depth,
        min_confidence=request.min_confidence,
        kinds=request.kind,
    )
    steps = in_order(scope, without_repeated(found.steps, chosen))
    projects = request.caller_projects
    receipt = callers_receipt(scope, chosen, found, cut=cut, caller_projects=projects)
    return TraceResult(chosen, steps, found.definitions, receipt)


def _callees(scope: TraceScope, request: TraceRequest) -> TraceResult:
    chosen, cut = selected_definitions(scope, request.selector)
    keys = [definition.key for definition in chosen]
    sites = sites_within(scope.resolver, keys)
    found = find_callees(scope.resolver, sites, min_confidence=request.min_confidence)
    edges = found.edges
    if IMPORT in request.kind:
        edges += edges_to_imported(scope.resolver, keys, min_confidence=request.min_confidence)
    definitions = definitions_at(scope.resolver, {edge.target for edge in edges})
    owner = {definition.key: index for index, definition in enumerate(chosen)}
    steps = [
        Step(edge, 1, owner[enclosing_definition(edge.site, owner)])
        for edge in edges
        if edge.target in definitions and (not request.kind or edge.site.kind in request.kind)
    ]
    receipt = trace_receipt(
        scope,
        tally=found.tally,
        cut=cut,
        partly_parsed=partly_parsed_inside(scope, chosen),
        unread=unread_manifests.of_callees(scope, found.untargeted),
        unknown=scope.unknown(request.caller_projects),
    )
    return TraceResult(chosen, in_order(scope, steps), definitions, receipt)


def _wanted(scope: TraceScope, steps: Sequence[Step], projects: Sequence[str]) -> Sequence[Step]:
    """Return the steps whose callers are in one of the projects; all if none is given."""
    if not projects:
        return steps
    ids = {
        repository.id for repository in scope.repositories.values() if repository.name in projects
    }
    return [step for step in steps if step.edge.site.repository in ids]
