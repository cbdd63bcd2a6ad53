"""Pages of code: a file, a symbol, a call graph."""

from dataclasses import dataclass
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from central.corpus.files import FileNotFoundInIndexError, read_file
from central.errors import NotFoundError
from central.tenancy.credentials import Credential
from central.trace.answers import Callees, Callers
from central.trace.graph import graph as graph_around
from central.trace.requests import (
    CONFIDENCES,
    CalleesRequestSerializer,
    CallersRequestSerializer,
    GraphRequestSerializer,
)
from central.trace.service import callees, callers, callers_and_callees
from central.web.about import about
from central.web.access import member_page
from central.web.graph_drawing import call_graph, nearest
from central.web.messages import why_skipped
from central.web.trace_rows import (
    Group,
    choices,
    rows_by_project,
    similar_symbols,
    trace_query,
    with_places,
)
from central.web.urls_for import breadcrumbs, file_url, symbol_url

SHOWN_LINES = 30_000  # each is some 100 bytes of the page, however short it is
SHOWN_CHARACTERS = 2_000_000


@member_page
def file(request: HttpRequest, credential: Credential, project: str, path: str) -> HttpResponse:
    """A file as it is indexed; where there is none, the paths that may have been meant."""
    organization = credential.organization.slug
    try:
        found = read_file(credential=credential, project=project, path=path)
    except FileNotFoundInIndexError as exc:
        near = [{"text": one, "url": file_url(organization, project, one)} for one in exc.near]
        raise NotFoundError(exc.message, code=exc.code, suggestions=near) from exc
    here = {"project": project, "file": path}
    outline = [
        (one, symbol_url(organization, one.name, **here, line=one.start_line))
        for one in found.symbols
    ]
    content = _beginning(found.content)
    context = {
        "section": "repositories",
        "about": about(credential, [(project, path, "")]),
        "file": found,
        "content": content,
        "is_cut": len(content) < len(found.content),
        "breadcrumbs": breadcrumbs(organization, project, path),
        "outline": outline,
        "skipped": why_skipped(found.skipped),
    }
    return render(request, "web/file.html", context)


def _beginning(content: str) -> str:
    """Return as much as a browser can show."""
    lines = content[:SHOWN_CHARACTERS].split("\n", SHOWN_LINES)
    return "\n".join(lines[:SHOWN_LINES]) + ("\n" if len(lines) > SHOWN_LINES else "")


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
    context: dict[str, Any] = {"section": "symbol", "query": query, "confidences": CONFIDENCES}
    if not query["symbol"]:
        return render(request, "web/symbol_form.html", context)
    try:
        directions = _directions(credential, query)
    except NotFoundError as exc:
        return render(request, "web/symbol_form.html", context | similar_symbols(exc), status=404)
    first = directions[0].answer
    context |= {
        "directions": directions,
        "choices": choices(first.definitions, organization=organization),
        "about": about(
            credential,
            [(one.project, one.file, one.qualified_name) for one in first.definitions],
        ),
        "receipt": first.receipt,
        "unresolved": with_places(first.receipt.unresolved.sample, organization=organization),
    }
    return render(request, "web/symbol.html", context)


def _directions(credential: Credential, query: dict[str, Any]) -> list[_Direction]:
    wanted = query.get("direction")
    upwards, downwards = _CALLERS.trace_request(query), _CALLEES.trace_request(query)
    slug = credential.organization.slug
    if wanted == "callers":
        return [_up(callers(credential=credential, request=upwards), slug)]
    if wanted == "callees":
        return [_down(callees(credential=credential, request=downwards), slug)]
    up, down = callers_and_callees(credential=credential, upwards=upwards, downwards=downwards)
    return [_up(up, slug), _down(down, slug)]


def _up(answer: Callers, slug: str) -> _Direction:
    groups = rows_by_project(answer.callers, lambda link: link.caller, organization=slug)
    return _Direction("callers", "Callers", answer, groups)


def _down(answer: Callees, slug: str) -> _Direction:
    groups = rows_by_project(answer.callees, lambda link: link.callee, organization=slug)
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
    context: dict[str, Any] = {"section": "symbol", "query": query, "confidences": CONFIDENCES}
    if not query["symbol"]:
        return render(request, "web/symbol_form.html", context)
    try:
        asked = _GRAPH.graph_request(query)
        answer = graph_around(credential=credential, request=asked)
    except NotFoundError as exc:
        return render(request, "web/symbol_form.html", context | similar_symbols(exc), status=404)
    edges = nearest(answer.nodes, answer.edges, _LINES)
    drawing, rows = call_graph(
        answer,
        edges,
        organization=organization,
        again={name: given[name] for name in ("depth", "min_confidence") if name in given},
    )
    context |= {
        "graph": answer,
        "left_out": len(answer.edges) - len(edges),
        "depth": asked.depth,
        "depths": DEPTHS,
        "drawing": drawing,
        "rows": rows,
        "line_styles": [(f"edge-{one}", f"{one} confidence") for one in CONFIDENCES],
        "symbol_url": symbol_url(organization, **_named(query)),
    }
    return render(request, "web/graph.html", context)


def _named(query: dict[str, Any]) -> dict[str, Any]:
    names = [name for name in ("project", "file", "line") if name in query]
    return {"name": query["symbol"], **{name: query[name] for name in names}}
