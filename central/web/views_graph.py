"""The call graph around a symbol, drawn by the server."""

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from central.common.errors import NotFoundError
from central.tenancy.credentials import Credential
from central.trace.serializers import CONFIDENCES, GraphRequestSerializer
from central.trace.services.graphing import graph as graph_around
from central.web.access import member_page
from central.web.graph_drawing import call_graph, nearest
from central.web.places import symbol_url
from central.web.tracing import form_context, nowhere, trace_query

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
    context = form_context(organization, query)
    if not query["symbol"]:
        return render(request, "web/symbol_form.html", context)
    try:
        asked = _GRAPH.graph_request(query)
        answer = graph_around(credential=credential, request=asked)
    except NotFoundError as exc:
        return render(request, "web/symbol_form.html", context | nowhere(exc), status=404)
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
