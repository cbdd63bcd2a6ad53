"""Pages of the trace: a symbol, a call graph, what one reference leads to."""

from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from aeterna_code_search.contract.trace import CONFIDENCES, KINDS, Callees, Callers, FilePosition
from central.errors import InvalidError, NotFoundError
from central.tenancy.credentials import Credential
from central.trace.graph import graph as graph_around
from central.trace.position import definition_at
from central.trace.requests import (
    CalleesRequestSerializer,
    CallersRequestSerializer,
    GraphRequestSerializer,
)
from central.trace.service import callees, callers, callers_and_callees
from central.web.about import about
from central.web.access import member_page
from central.web.graph_drawing import Links, call_graph, nearest
from central.web.name_panel import name_panel as panel_of
from central.web.trace_rows import (
    Group,
    candidate_rows,
    choices,
    pages_of,
    rows_by_owner,
    rows_by_project,
    similar_symbols,
    trace_query,
    with_places,
)
from central.web.urls_for import REF, TracePages, breadcrumbs, symbol_url

_CALLERS: Final = CallersRequestSerializer()
_CALLEES: Final = CalleesRequestSerializer()


@dataclass(frozen=True, slots=True)
class _Direction:
    name: str
    title: str
    answer: Callers | Callees
    groups: list[Group]


@member_page
def symbol(request: HttpRequest, credential: Credential) -> HttpResponse:
    """Both directions, or one by `direction`, which alone has further pages; a form without name.

    Without a definition of that name: 404, with names that are like it.
    """
    organization = credential.organization.slug
    query = trace_query(request, organization=organization)
    context: dict[str, Any] = {
        "section": "symbol",
        "query": query,
        "confidences": CONFIDENCES,
        "kinds": KINDS,
    }
    if not query["symbol"]:
        return render(request, "web/symbol_form.html", context)
    try:
        directions = _directions(credential, query)
    except NotFoundError as exc:
        return render(request, "web/symbol_form.html", context | similar_symbols(exc), status=404)
    first = directions[0].answer
    pages = pages_of(query)
    context |= {
        "directions": directions,
        "choices": choices(first.definitions, pages),
        "about": None
        if pages.ref
        else about(
            credential,
            [
                (definition.project, definition.file, definition.qualified_name)
                for definition in first.definitions
            ],
        ),
        "receipt": first.receipt,
        "unresolved": with_places(first.receipt.unresolved.sample, pages),
    }
    return render(request, "web/symbol.html", context)


def _directions(credential: Credential, query: dict[str, Any]) -> list[_Direction]:
    wanted = query.get("direction")
    upwards = _CALLERS.read(_CALLERS.known(query))
    downwards = _CALLEES.read(_CALLEES.known(query))
    if wanted == "callers":
        return [_up(callers(credential=credential, request=upwards), query)]
    if wanted == "callees":
        return [_down(callees(credential=credential, request=downwards), query)]
    up, down = callers_and_callees(credential=credential, upwards=upwards, downwards=downwards)
    return [_up(up, query), _down(down, query)]


def _up(answer: Callers, query: dict[str, Any]) -> _Direction:
    """Return the callers by project, with `by=owner` by owner."""
    rows_by = rows_by_owner if query.get("by") == "owner" else rows_by_project
    groups = rows_by(answer.callers, lambda link: link.caller, pages_of(query))
    return _Direction("callers", "Callers", answer, groups)


def _down(answer: Callees, query: dict[str, Any]) -> _Direction:
    groups = rows_by_project(answer.callees, lambda link: link.callee, pages_of(query))
    return _Direction("callees", "Callees", answer, groups)


_GRAPH: Final = GraphRequestSerializer()
_NODES: Final = 80  # of a picture that can be read; the address may ask for the API's most
_LINES: Final = 1_000  # nodes that all call one another have the square of their number
DEPTHS: Final = (1, 2, 3)  # the first unless the address says more: two take twice as long


@member_page
def graph(request: HttpRequest, credential: Credential) -> HttpResponse:
    """A picture, and its edges as a table; `project`, `file`, `line`, `depth` are as in the API.

    `depth` is 1 unless it is given.
    """
    organization = credential.organization.slug
    given = trace_query(request, organization=organization)
    query = {"limit": _NODES, "depth": DEPTHS[0], **given}
    context: dict[str, Any] = {
        "section": "symbol",
        "query": query,
        "confidences": CONFIDENCES,
        "kinds": KINDS,
    }
    if not query["symbol"]:
        return render(request, "web/symbol_form.html", context)
    try:
        asked = _GRAPH.read(_GRAPH.known(query))
        answer = graph_around(credential=credential, request=asked)
    except NotFoundError as exc:
        return render(request, "web/symbol_form.html", context | similar_symbols(exc), status=404)
    edges = nearest(answer.nodes, answer.edges, _LINES)
    opened = list(dict.fromkeys(request.GET.getlist("open")))
    kept = ("depth", "min_confidence")
    again: dict[str, object] = {name: given[name] for name in kept if name in given}
    links = Links(pages_of(query), again, lambda group: _address_with(request, [*opened, group.id]))
    drawing, rows = call_graph(answer, edges, opened=opened, links=links)
    context |= {
        "graph": answer,
        "left_out": len(answer.edges) - len(edges),
        "depth": asked.depth,
        "depths": DEPTHS,
        "drawing": drawing,
        "rows": rows,
        "has_groups": any(box.is_group for box in drawing.boxes),
        "opened": [
            (
                group.partition(":")[2],
                _address_with(
                    request, [opened_group for opened_group in opened if opened_group != group]
                ),
            )
            for group in opened
        ],
        "line_styles": [(f"edge-{level}", f"{level} confidence") for level in CONFIDENCES],
        "symbol_url": symbol_url(organization, **_named(query)),
    }
    return render(request, "web/graph.html", context)


def _address_with(request: HttpRequest, opened: list[str]) -> str:
    """Return the address of the same picture with these groups open."""
    query = request.GET.copy()
    query.setlist("open", opened)
    return f"?{query.urlencode()}"


def _named(query: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in ("project", "file", "line", REF) if name in query]
    return {"name": query["symbol"], **{name: query[name] for name in names}}


@member_page
def name_panel(
    request: HttpRequest, credential: Credential, project: str, path: str, line: int, column: int
) -> HttpResponse:
    """The fragment of a file's page about the name at a position; 404 with the reason without."""
    template, ref = "web/_name_panel.html", request.GET.get(REF, "")
    position = FilePosition(project, path, line, column, ref=ref)
    try:
        panel = panel_of(credential=credential, position=position)
    except (InvalidError, NotFoundError) as exc:
        return render(request, template, {"problem": exc.message}, status=404)
    return render(request, template, {"panel": panel})


@member_page
def reference(
    request: HttpRequest, credential: Credential, project: str, path: str, line: int, column: int
) -> HttpResponse:
    """Lead to the definition that a name means; show what it may mean unless it is clear."""
    organization, ref = credential.organization.slug, request.GET.get(REF, "")
    pages = TracePages(organization, project, ref)
    try:
        position = FilePosition(project, path, line, column, ref=ref)
        found = definition_at(credential=credential, position=position)
    except (InvalidError, NotFoundError) as exc:
        if exc.code not in {"reference_not_found", InvalidError.code}:
            raise
        raise NotFoundError(
            "No name that the index knows is there in the indexed commit, which may be a newer one "
            "than that of the page before. Open the file again.",
            code="reference_not_found",
            suggestions=[{"text": path, "url": pages.file(project, path, line)}],
        ) from exc
    if end := found.target:
        return redirect(pages.file(end.project, end.file, end.line))
    context = {
        "section": "symbol",
        "found": found,
        "breadcrumbs": breadcrumbs(organization, project, path, ref=ref),
        "place_url": pages.file(project, path, line),
        "rows": candidate_rows(found.definitions, pages),
        "receipt": found.receipt,
    }
    return render(request, "web/reference.html", context)
